require_relative 'broadcast'

# One client of the protocol `shootout`.
class Shootout
  # No stream of `ws-json` has this name.
  ALL = :all

  def initialize(web_socket, streams)
    @web_socket = web_socket
    @streams = streams
    @number = streams.subscribe(ALL, web_socket)
  end

  def receive(text)
    message = Broadcast.object_in(text)
    return refuse('the message is not a JSON object') if message.nil?

    payload = message['payload']
    case message['type']
    when 'echo' then say(type: 'echo', payload: payload)
    when 'broadcast' then broadcast(payload)
    else refuse('the message has no known "type"')
    end
  end

  def refuse(why)
    say(type: 'error', message: why)
  end

  def closed
    @streams.unsubscribe(ALL, @number)
  end

  private

  def broadcast(payload)
    listeners = @streams.publish(ALL, JSON.generate(type: 'broadcast', payload: payload))
    say(type: 'broadcastResult', payload: payload, listenerCount: listeners)
  end

  def say(message)
    @web_socket.send_text(JSON.generate(message))
  end
end
