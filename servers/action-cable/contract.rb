# frozen_string_literal: true

# The HTTP side of the contract of servers/README.md, as Rack endpoints.
class Contract
  MOST_BYTES = 1024 * 1024
  JSON_TYPE = { 'Content-Type' => 'application/json' }.freeze
  private_constant :MOST_BYTES, :JSON_TYPE

  def initialize(family, cable)
    @family = family
    # AnyCable's adapter only puts a broadcast into a queue.
    @tells_time = cable[:adapter] != 'any_cable'
  end

  def broadcast(env)
    input = env['rack.input']
    # Rails looks for a form in a request without a content type.
    input.rewind
    body = input.read(MOST_BYTES + 1).to_s
    return answer(413, message: "a publish has at most #{MOST_BYTES} bytes") if body.bytesize > MOST_BYTES

    stream, data = read(body)
    return answer(400, message: 'a publish is {"stream":"…","data":"<JSON text>"}') if stream.nil?

    took_ms = timed { ActionCable.server.broadcast(stream, data) }
    [201, @tells_time ? { 'Server-Timing' => "publish;dur=#{took_ms.round(3)}" } : {}, []]
  end

  def stats(_env) = answer(200, @family.stats)
  def health(_env) = answer(200, status: 'ok')
  def nothing(_env) = answer(404, message: 'there is nothing here')

  private

  # The stream and the data of a publish; nil if it is none.
  def read(body)
    publish = JSON.parse(body)
    stream, data = publish.values_at('stream', 'data') if publish.is_a?(Hash)
    [stream, JSON.parse(data)] if stream.is_a?(String) && data.is_a?(String)
  rescue JSON::ParserError
    nil
  end

  def timed
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond) - start
  end

  def answer(status, body) = [status, JSON_TYPE, [body.to_json]]
end
