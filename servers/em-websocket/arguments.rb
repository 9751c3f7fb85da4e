require 'optparse'

# The command line that servers/README.md asks for.
module Arguments
  def self.read(argv)
    values = { host: '127.0.0.1', port: 0, version: false }
    options = OptionParser.new
    options.on('--host HOST')
    options.on('--port PORT', Integer)
    options.on('--processes PROCESSES', [1])
    options.on('--version')
    options.parse(argv, into: values)
    port = values[:port]
    fail("--port must be 0 to 65535, not #{port}", 2) unless (0..65_535).cover?(port)
    values
  rescue OptionParser::ParseError => e
    fail(e.message, 2)
  end

  # Ends the process with one line on stderr.
  def self.fail(message, exit_code)
    warn "em-websocket: #{message.gsub(/\s*\n\s*/, ' ')}"
    exit exit_code
  end
end
