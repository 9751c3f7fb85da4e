# The streams by name, each an EM::Channel while somebody is subscribed.
class Streams
  Message = Struct.new(:text, :sender)

  def initialize
    @channels = {}
  end

  # Gives the number that ends the subscription.
  def subscribe(stream, web_socket)
    channel = @channels[stream] ||= EM::Channel.new
    channel.subscribe do |message|
      # A client that closes gets nothing more: em-websocket would raise.
      is_open = web_socket.state == :connected
      web_socket.send_text(message.text) if is_open && !message.sender.equal?(web_socket)
    end
  end

  def unsubscribe(stream, number)
    channel = @channels[stream]
    channel.unsubscribe(number)
    @channels.delete(stream) if channel.num_subscribers.zero?
  end

  # Sends to all subscribers but the sender, and gives how many there are.
  def publish(stream, text, sender = nil)
    channel = @channels[stream]
    return 0 if channel.nil?

    channel.push(Message.new(text, sender))
    channel.num_subscribers
  end
end
