# frozen_string_literal: true

require 'optparse'

# What this server is started with.
class Arguments
  attr_reader :host, :port, :cable_port, :processes, :adapter, :anycable

  # Ends the process with one line on stderr.
  def self.fail(message, code)
    warn "action-cable: #{message.gsub(/\s*\n\s*/, ' ')}"
    exit! code
  end

  # Reads the command line. A wrong argument ends the process with exit code 2.
  def self.from(argv)
    new(argv)
  rescue OptionParser::ParseError => e
    fail(e.message, 2)
  end

  def initialize(argv)
    @host = '127.0.0.1'
    @port = @cable_port = 0
    @processes = 1
    @adapter = 'redis'
    rest = parser.parse(argv)
    raise OptionParser::NeedlessArgument, rest.join(' ') unless rest.empty?
    raise OptionParser::InvalidArgument, "--port #{port}" unless (0..65_535).cover?(port)
    raise OptionParser::InvalidArgument, "--processes #{processes}" if processes < 1 || (processes > 1 && !redis?)
  end

  def version? = @version

  # Workers reach each other through Redis.
  def redis? = adapter == 'redis'

  # anycable-go holds the connections, and asks this server what to do with them.
  def anycable? = adapter == 'any_cable'

  private

  def parser
    OptionParser.new do |options|
      options.on('--version') { @version = true }
      options.on('--host HOST') { |host| @host = host }
      options.on('--port PORT', Integer) { |port| @port = port }
      options.on('--processes N', Integer) { |processes| @processes = processes }
      options.on('--adapter NAME', %w[redis async]) { |adapter| @adapter = adapter }
      options.on('--anycable PROGRAM') { |program| @adapter, @anycable = 'any_cable', program }
      options.on('--further-ports PORT', Integer) { |port| @cable_port = port }
    end
  end
end
