require 'em-websocket'
require 'em-websocket/version'
require 'json'
require 'socket'
require_relative 'arguments'
require_relative 'connection'
require_relative 'answers'
require_relative 'stats'
require_relative 'streams'

# What all connections of the process share.
class Server
  attr_reader :streams, :stats, :answers

  def initialize
    @streams = Streams.new
    @stats = Stats.new
    @answers = Answers.new(@streams, @stats)
  end

  # Inside the reactor.
  def listen(host, port)
    signature = EM.start_server(host, port, Connection, server: self)
    bound, = Socket.unpack_sockaddr_in(EM.get_sockname(signature))
    puts JSON.generate(listening: { host: host, port: bound, pid: Process.pid })
    $stdout.flush
  rescue RuntimeError => e
    # EventMachine has one message for every reason.
    why = e.message.start_with?('no acceptor') ? 'it is in use, or not to be had here' : e.message
    Arguments.fail("can't listen on port #{port} of #{host}: #{why}", 1)
  end
end
