# A server under test: em-websocket in EventMachine's reactor, with a channel for each stream, as the examples of both
# have it. It keeps the contract of servers/README.md.

require_relative 'arguments'

arguments = Arguments.read(ARGV)

begin
  require_relative 'server'
rescue LoadError => e
  Arguments.fail(e.message, 2)
end

if arguments[:version]
  puts EventMachine::Websocket::VERSION
  exit
end

# EM::WebSocket.start does the same.
EM.epoll
EM.run do
  %w[TERM INT].each { |signal| trap(signal) { EM.stop } }
  if ENV['RINGSIDE_EXIT_WITH_STDIN'] == '1'
    Thread.new do
      $stdin.read
      EM.next_tick { EM.stop }
    end
  end
  Server.new.listen(arguments[:host], arguments[:port])
end
