# frozen_string_literal: true

require 'etc'
require 'net/http'
require 'socket'

# The processes of the target: this one or the workers that it forks, and the programs beside it.
class Family
  attr_reader :companions
  attr_writer :ports, :cable

  def initialize(versions, settings)
    @versions = versions
    @settings = settings
    @first = Process.pid
    @companions = []
    @ports = []
  end

  def first? = Process.pid == @first

  # Every worker tells its connections to the one that is asked for all.
  def answer_siblings
    server = UNIXServer.new(address(Process.pid))
    Thread.new do
      loop do
        socket = server.accept
        socket.write(own_connections.to_s)
        socket.close
      end
    end
  end

  # What `/_stats` answers.
  def stats
    members = processes
    used = [@first, *workers, *@companions].map { |pid| usage(pid) }
    total = used.reduce { |sum, each| sum.merge(each) { |_, a, b| a + b } }
    {
      pid: @first, **total, connections: members.sum { |member| member[:connections] },
      versions: @versions, settings: @settings, **(members.size > 1 ? { processes: members } : {})
    }
  end

  private

  # Those that serve clients, the first one first.
  def processes
    return [member(@first, 0), member(@cable, cable_connections, @ports.last)] if @cable
    return [member(@first, own_connections)] if workers.empty?

    [member(@first, 0), *workers.map { |pid| member(pid, connections_of(pid)) }]
  end

  def member(pid, connections, port = @ports.first)
    { pid: pid, port: port, **usage(pid), connections: connections }
  end

  def workers
    File.read("/proc/#{@first}/task/#{@first}/children").split.map(&:to_i) - @companions
  end

  def own_connections = ActionCable.server.connections.size

  def connections_of(pid)
    pid == Process.pid ? own_connections : UNIXSocket.open(address(pid), &:read).to_i
  rescue SystemCallError
    # It ended, or has not begun to serve.
    0
  end

  # anycable-go counts its clients in a gauge.
  def cable_connections
    answer = Net::HTTP.get(URI("http://#{ActionCable.server.config.cable[:url][%r{//([^/]+)}, 1]}/metrics"))
    answer[/^anycable_go_clients_num (\d+)/, 1].to_i
  end

  # An address of Linux that is no file, so that nothing stays behind.
  def address(pid) = "\0ringside-action-cable-#{pid}"

  def usage(pid)
    # The name of a program, in parentheses, can hold anything.
    fields = File.read("/proc/#{pid}/stat").rpartition(')').last.split
    user, system = fields.values_at(11, 12).map { |ticks| ticks.to_i * 1_000_000 / Etc.sysconf(Etc::SC_CLK_TCK) }
    { rssBytes: fields[21].to_i * Etc.sysconf(Etc::SC_PAGESIZE), cpuUserUs: user, cpuSystemUs: system }
  rescue Errno::ENOENT, Errno::ESRCH
    { rssBytes: 0, cpuUserUs: 0, cpuSystemUs: 0 }
  end
end
