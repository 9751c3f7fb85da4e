# What `GET /_stats` tells.
class Stats
  VERSIONS = {
    'ruby' => RUBY_VERSION,
    'em-websocket' => EventMachine::Websocket::VERSION,
    'eventmachine' => EM::VERSION
  }.freeze

  attr_accessor :connections

  def initialize
    @connections = 0
  end

  def read
    cpu = Process.times
    {
      pid: Process.pid,
      rssBytes: File.read('/proc/self/status')[/^VmRSS:\s*(\d+) kB/, 1].to_i * 1024,
      cpuUserUs: (cpu.utime * 1e6).round,
      cpuSystemUs: (cpu.stime * 1e6).round,
      connections: @connections,
      versions: VERSIONS,
      settings: {}
    }
  end
end
