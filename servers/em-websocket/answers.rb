require_relative 'broadcast'

# A request body. What exceeds the limit is read but not kept, so that an answer arrives.
class Body
  MAX_BYTES = 1024 * 1024

  def initialize
    @text = String.new
  end

  def <<(chunk)
    @text << chunk unless too_long?
  end

  def too_long?
    @text.bytesize > MAX_BYTES
  end

  def text
    @text.force_encoding(Encoding::UTF_8)
  end
end

# The answers to all requests that are no upgrade.
class Answers
  REASONS = {
    200 => 'OK',
    201 => 'Created',
    400 => 'Bad Request',
    404 => 'Not Found',
    413 => 'Payload Too Large'
  }.freeze

  def initialize(streams, stats)
    @streams = streams
    @stats = stats
  end

  # The bytes of an answer.
  def to(method, path, body)
    case [method, path]
    when ['POST', '/_broadcast'] then publish(body)
    when ['GET', '/health'] then response(200, status: 'ok')
    when ['GET', '/_stats'] then response(200, @stats.read)
    else response(404, message: "nothing answers #{method} #{path}")
    end
  end

  private

  def publish(body)
    return response(413, message: "the body is longer than #{Body::MAX_BYTES} bytes") if body.too_long?

    broadcast = Broadcast.read(body.text)
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    @streams.publish(broadcast.stream, broadcast.data)
    took_ms = (Process.clock_gettime(Process::CLOCK_MONOTONIC) - from) * 1000
    response(201, nil, "server-timing: publish;dur=#{format('%.3f', took_ms)}\r\n")
  rescue Wrong => e
    response(400, message: e.message)
  end

  def response(status, value, headers = '')
    body = value.nil? ? '' : JSON.generate(value)
    "HTTP/1.1 #{status} #{REASONS.fetch(status)}\r\n" \
      "content-type: application/json\r\ncontent-length: #{body.bytesize}\r\n#{headers}\r\n#{body}"
  end
end
