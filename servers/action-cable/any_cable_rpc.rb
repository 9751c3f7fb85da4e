# frozen_string_literal: true

require 'delegate'

# Answers the calls of anycable-go over HTTP (https://docs.anycable.io/anycable-go/rpc) by the channels of Action Cable.
module AnyCableRpc
  SUCCESS = 1
  FAILURE = 2

  # What a call changes for its client, in the words of the protocol.
  class Changes
    attr_reader :transmissions, :streams, :state

    def initialize
      @transmissions = []
      @streams = []
      @state = {}
    end

    # Stands for the adapter of Action Cable: anycable-go subscribes.
    def subscribe(stream, _handler, confirmed)
      @streams << stream
      confirmed.call
    end

    def unsubscribe(_stream, _handler) = nil

    # Stands for the event loop, in which Action Cable subscribes.
    def post = yield
  end

  # The server of Action Cable as such a connection sees it.
  class Server < SimpleDelegator
    def initialize(changes)
      super(ActionCable.server)
      @changes = changes
    end

    def pubsub = @changes
    def event_loop = @changes
  end

  # A connection whose WebSocket anycable-go holds. It lives as long as one call.
  class Connection < ApplicationCable::Connection
    attr_reader :changes

    def initialize(env, headers)
      @changes = Changes.new
      @server = Server.new(@changes)
      @env = Rack::MockRequest.env_for(env['url'].to_s, 'HTTP_X_FORWARDED_FOR' => headers['REMOTE_ADDR'])
      @coder = ActiveSupport::JSON
      @logger = new_tagged_logger
      @subscriptions = ActionCable::Connection::Subscriptions.new(self)
    end

    def transmit(message)
      changes.transmissions << encode(message)
    end

    def welcome(session)
      connect if respond_to?(:connect)
      transmit({ type: ActionCable::INTERNAL[:message_types][:welcome], sid: session }.compact)
    end

    def whisper_to(stream)
      changes.state['$w'] = stream
    end

    # A channel that subscribed in an earlier call.
    def channel(identifier)
      params = decode(identifier).with_indifferent_access
      params[:channel].constantize.new(self, identifier, params)
    end

    def was_rejected?
      rejection = ActionCable::INTERNAL[:message_types][:rejection]
      changes.transmissions.any? { |message| decode(message)['type'] == rejection }
    end
  end

  def self.call(env)
    asked = JSON.parse(env['rack.input'].read)
    connection = Connection.new(asked['env'] || {}, env)
    answer = send(env['action_dispatch.request.path_parameters'][:call], connection, asked, env)
    [200, { 'Content-Type' => 'application/json' }, [answer.to_json]]
  end

  def self.connect(connection, _asked, env)
    connection.welcome(env['HTTP_X_ANYCABLE_META_SID'])
    { status: SUCCESS, identifiers: '{}', transmissions: connection.changes.transmissions }
  end

  def self.command(connection, asked, _env)
    identifier = asked['identifier']
    case asked['command']
    when 'subscribe' then connection.subscriptions.add('identifier' => identifier)
    when 'unsubscribe' then connection.channel(identifier).unsubscribe_from_channel
    when 'message' then connection.channel(identifier).perform_action(JSON.parse(asked['data']))
    end
    changes = connection.changes
    {
      status: connection.was_rejected? ? FAILURE : SUCCESS,
      streams: changes.streams, stop_streams: asked['command'] == 'unsubscribe',
      transmissions: changes.transmissions, env: { istate: changes.state }
    }
  end

  def self.disconnect(connection, asked, _env)
    Array(asked['subscriptions']).each { |identifier| connection.channel(identifier).unsubscribe_from_channel }
    connection.disconnect if connection.respond_to?(:disconnect)
    { status: SUCCESS }
  end

  private_class_method :connect, :command, :disconnect
end
