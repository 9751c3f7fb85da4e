# frozen_string_literal: true

require 'open3'
require 'rails'
require 'action_controller/railtie'
require 'action_cable/engine'
require 'puma'
require 'puma/configuration'
require 'puma/launcher'
require 'redis'

# The versions of the libraries and of the programs beside them.
module Versions
  # Raises a `SystemCallError` if a program is not there.
  def self.of(arguments)
    {
      'ruby' => RUBY_VERSION,
      'rails' => Rails.version,
      'puma' => Puma::Const::PUMA_VERSION,
      **(arguments.redis? ? { 'redis' => named_by('redis-server'), 'redis-rb' => Redis::VERSION } : {}),
      **(arguments.anycable? ? { 'anycable-go' => named_by(arguments.anycable) } : {})
    }
  end

  def self.named_by(program)
    Open3.capture2e(program, '--version').first[/\d+\.\d+[\w.-]*/].to_s
  end
end
