require_relative 'broadcast'

# One client of the protocol `ws-json`.
class WsJson
  def initialize(web_socket, streams)
    @web_socket = web_socket
    @streams = streams
    @subscriptions = {}
  end

  def receive(text)
    message = Broadcast.object_in(text) or raise Wrong, 'the message is not a JSON object'
    case message['type']
    when 'echo' then @web_socket.send_text(text)
    when 'broadcast' then publish(Broadcast.read(text))
    when 'subscribe' then subscribe(stream_of(message))
    when 'unsubscribe' then unsubscribe(stream_of(message))
    when 'whisper' then @streams.publish(stream_of(message), text, @web_socket)
    else raise Wrong, 'the message has no known "type"'
    end
  rescue Wrong => e
    refuse(e.message)
  end

  def refuse(why)
    @web_socket.send_text(JSON.generate(type: 'error', message: why))
  end

  def closed
    @subscriptions.each { |stream, number| @streams.unsubscribe(stream, number) }
  end

  private

  def stream_of(message)
    stream = message['stream']
    return stream if stream.is_a?(String) && !stream.empty?

    raise Wrong, '"stream" is not a non-empty string'
  end

  def publish(broadcast)
    @streams.publish(broadcast.stream, broadcast.data)
  end

  def subscribe(stream)
    @subscriptions[stream] ||= @streams.subscribe(stream, @web_socket)
    @web_socket.send_text(JSON.generate(type: 'subscribed', stream: stream))
  end

  def unsubscribe(stream)
    number = @subscriptions.delete(stream)
    @streams.unsubscribe(stream, number) if number
  end
end
