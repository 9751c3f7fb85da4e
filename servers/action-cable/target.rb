# frozen_string_literal: true

require 'socket'
require_relative 'application'
require_relative 'companion'
require_relative 'family'

# The target: Puma in this process with the Rails application, and the programs beside it.
class Target
  def initialize(arguments, versions)
    @arguments = arguments
    @companions = []
    @family = Family.new(versions, settings)
  end

  # Serves until a signal ends it.
  def run
    start_redis if @arguments.redis?
    @cable_port = free_port(@arguments.host, @arguments.cable_port) if @arguments.anycable?
    Application.set_up(@family, cable)
    @puma = launcher
    exit_with_stdin if ENV['RINGSIDE_EXIT_WITH_STDIN'] == '1'
    @puma.run
    finish(0)
  rescue SystemExit => e
    finish(e.status)
  rescue SystemCallError => e
    Arguments.fail("can't listen on port #{@arguments.port} of #{@arguments.host}: #{e.message}", 1)
  rescue StandardError
    # A thread of Action Cable raises here when Redis is gone, which can come before the notice of its end.
    @companions.each(&:await_notice)
    raise
  end

  private

  # What differs from the defaults of Rails, Puma, Redis and AnyCable.
  def settings
    {
      'adapter' => @arguments.adapter,
      'threads' => "#{THREADS} (config/puma.rb of a new Rails application)",
      'log_level' => 'warn',
      'action_cable.disable_request_forgery_protection' => true,
      **(@arguments.processes > 1 ? { 'preload_app' => true } : {}),
      **(@arguments.redis? ? { 'redis-server' => "--save ''" } : {}),
      **(@arguments.anycable? ? { 'anycable-go' => anycable_flags('PORT', 'URL').join(' ') } : {})
    }
  end

  def cable
    return { adapter: 'any_cable', url: "http://#{authority(@cable_port)}/_broadcast" } if @arguments.anycable?

    { adapter: @arguments.adapter, url: @redis_url, channel_prefix: 'ringside_production' }.compact
  end

  def launcher
    config = Puma::Configuration.new { |puma| configure(puma) }
    log = Puma::Events.new(File.open(File::NULL, 'w'), $stderr)
    Puma::Launcher.new(config, events: log).tap do |launcher|
      log.on_booted { serving(launcher.connected_ports.first) }
    end
  end

  def configure(puma)
    puma.bind "tcp://#{authority(@arguments.port)}"
    puma.threads THREADS, THREADS
    puma.environment 'production'
    puma.app Application.instance
    # The exit code after SIGTERM is to be 0.
    puma.raise_exception_on_sigterm false
    return if @arguments.processes == 1

    puma.workers @arguments.processes
    puma.preload_app!
    puma.on_worker_boot do
      @family.ports = @puma.connected_ports
      @family.answer_siblings
    end
  end

  def serving(port)
    ports = [port]
    if @arguments.anycable?
      start_anycable(port)
      ports << @cable_port
    end
    @family.ports = ports
    listening = { host: @arguments.host, port: port, ports: ports, pid: Process.pid }
    listening.delete(:ports) if ports.size == 1
    $stdout.puts({ listening: listening }.to_json)
    $stdout.flush
  end

  def start_redis
    host = '127.0.0.1'
    port = free_port(host)
    redis = start('redis-server', '--port', port.to_s, '--bind', host, '--save', '')
    @redis_url = "redis://#{host}:#{port}/1"
    client = Redis.new(url: @redis_url, reconnect_attempts: 0)
    redis.wait do
      client.ping
    rescue Redis::BaseConnectionError
      false
    end
    client.close
  end

  def start_anycable(port)
    ENV['ANYCABLE_DISABLE_TELEMETRY'] = 'true'
    flags = anycable_flags(@cable_port, "http://#{authority(port)}")
    anycable = start(@arguments.anycable, "--host=#{@arguments.host}", "--port=#{@cable_port}", *flags)
    @family.cable = anycable.pid
    anycable.wait do
      TCPSocket.new(@arguments.host, @cable_port).close
      true
    rescue SystemCallError
      false
    end
  end

  # The flags of the target `anycable`, and calls of this application instead of public streams.
  def anycable_flags(port, application)
    [
      "--rpc_host=#{application}/_anycable", '--presets=broker', '--broker=memory', '--broadcast_adapter=http',
      "--http_broadcast_port=#{port}", '--metrics_http=/metrics',
      # Its count of clients would be that of 5 seconds ago.
      '--stats_refresh_interval=1'
    ]
  end

  def start(program, *rest)
    companion = Companion.new(File.basename(program), program, *rest)
    @companions << companion
    @family.companions << companion.pid
    companion
  end

  def exit_with_stdin
    Thread.new do
      $stdin.read
      Process.kill(:TERM, Process.pid)
    end
  end

  def finish(code)
    # A worker that ends is a copy of this process.
    exit! code unless @family.first?
    # Threads of Action Cable raise when Redis is gone.
    Thread.list.each { |thread| thread.abort_on_exception = thread.report_on_exception = false }
    @companions.each(&:stop)
    exit! code
  end

  def free_port(host, wanted = 0)
    server = TCPServer.new(host, wanted)
    server.addr[1].tap { server.close }
  end

  def authority(port)
    host = @arguments.host
    "#{host.include?(':') ? "[#{host}]" : host}:#{port}"
  end

  # What `rails new` writes into config/puma.rb.
  THREADS = 5
  private_constant :THREADS
end
