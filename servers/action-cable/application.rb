# frozen_string_literal: true

require 'securerandom'
require_relative 'contract'

$LOAD_PATH << File.join(__dir__, 'lib')

# A new Rails application without a database, as `rails new` and the guide to Action Cable have it.
class Application < Rails::Application
  config.load_defaults 6.1
  config.root = __dir__
  config.cache_classes = true
  config.eager_load = true
  config.consider_all_requests_local = false
  config.log_level = :warn
  config.logger = ActiveSupport::TaggedLogging.new(ActiveSupport::Logger.new($stderr))
  config.secret_key_base = SecureRandom.hex(64)
  # Clients that are no browsers send no Origin.
  config.action_cable.disable_request_forgery_protection = true

  # Builds the application over the adapter that `cable` names.
  def self.set_up(family, cable)
    contract = Contract.new(family, cable)
    config.action_cable.cable = cable.with_indifferent_access
    instance.initialize!
    instance.routes.draw do
      post '/_broadcast', to: contract.method(:broadcast)
      get '/_stats', to: contract.method(:stats)
      get '/health', to: contract.method(:health)
      if cable[:adapter] == 'any_cable'
        require_relative 'any_cable_rpc'
        post '/_anycable/:call', to: AnyCableRpc, constraints: { call: /connect|command|disconnect/ }
      end
      match '*path', to: contract.method(:nothing), via: :all
    end
  end
end

require_relative 'channels'
