require 'http/parser'
require_relative 'answers'
require_relative 'shootout'
require_relative 'ws_json'

# One connection: em-websocket's, which an upgrade makes a WebSocket. It answers other requests, too.
class Connection < EM::WebSocket::Connection
  END_OF_HEAD = "\r\n\r\n".freeze

  def initialize(options)
    super
    @server = options[:server]
    @head = String.new
  end

  # Gets what arrives before the upgrade.
  def dispatch(data)
    return @requests << data if @requests

    @head << data
    return unless @head.include?(END_OF_HEAD)

    client = client_for(@head)
    if client
      serve(client)
      super(@head)
    else
      @requests = parser
      @requests << @head
    end
  end

  private

  def client_for(head)
    return unless head.match?(/^upgrade:[ \t]*websocket/i)

    { '/ws' => WsJson, '/shootout' => Shootout }[head[/\AGET ([^ ?]+)/, 1]]
  end

  def serve(client_class)
    client = nil
    onopen do
      @server.stats.connections += 1
      client = client_class.new(self, @server.streams)
    end
    onmessage { |text| client.receive(text) }
    onbinary { client.refuse('the message is binary, not text') }
    onclose do
      @server.stats.connections -= 1
      client.closed
    end
  end

  # Answers each request once it is complete.
  def parser
    parser = Http::Parser.new
    body = nil
    parser.on_message_begin = proc { body = Body.new }
    parser.on_body = proc { |chunk| body << chunk }
    parser.on_message_complete = proc do
      path = parser.request_url.split('?', 2).first
      send_data(@server.answers.to(parser.http_method, path, body))
      close_connection_after_writing unless parser.keep_alive?
    end
    parser
  end
end
