# frozen_string_literal: true

module ApplicationCable
  class Connection < ActionCable::Connection::Base
  end

  class Channel < ActionCable::Channel::Base
  end
end

# The channel of websocket-shootout, with the stream as a parameter.
class BenchmarkChannel < ApplicationCable::Channel
  def subscribed
    stream_from stream
    # AnyCable passes whispers on by itself. Action Cable has none.
    connection.whisper_to(stream) if connection.respond_to?(:whisper_to)
  end

  def echo(data)
    transmit data
  end

  def broadcast(data)
    ActionCable.server.broadcast stream, data
    transmit data.merge('action' => 'broadcastResult')
  end

  private

  def stream = params.fetch(:stream_name, 'all')
end
