# frozen_string_literal: true

# Rails Action Cable on Puma, with the contract of servers/README.md. It starts what it needs and ends it.

# Puma sets its own when it serves. The kernel ends the programs beside this one.
%w[INT TERM].each { |signal| trap(signal) { exit! 0 } }

require_relative 'arguments'

arguments = Arguments.from(ARGV)

begin
  require_relative 'versions'
rescue LoadError => e
  Arguments.fail("can't load #{e.path || e.message}", 2)
end

begin
  versions = Versions.of(arguments)
rescue SystemCallError => e
  Arguments.fail("can't run a program: #{e.message}", 2)
end

if arguments.version?
  puts "rails #{versions['rails']}, puma #{versions['puma']}, ruby #{versions['ruby']}"
  exit
end

require_relative 'target'

Target.new(arguments, versions).run
