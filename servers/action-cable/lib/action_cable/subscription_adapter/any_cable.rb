# frozen_string_literal: true

require 'net/http'

module ActionCable
  module SubscriptionAdapter
    # Hands broadcasts to anycable-go over HTTP, one after another on one connection, as AnyCable's own gem does.
    # The clients are those of anycable-go, so nobody subscribes here.
    class AnyCable < Base
      def initialize(*)
        super
        @address = URI(server.config.cable[:url])
        @queue = Queue.new
        @sender = Thread.new { Net::HTTP.start(@address.host, @address.port) { |http| send_all(http) } }
        @sender.abort_on_exception = true
      end

      # Returns before anycable-go has it.
      def broadcast(stream, payload)
        @queue << { stream: stream, data: payload }.to_json
      end

      def shutdown
        @queue.close
        @sender.join
      end

      private

      def send_all(http)
        while (body = @queue.pop)
          answer = http.post(@address.path, body, 'Content-Type' => 'application/json')
          logger.error("anycable-go answered #{answer.code} to a broadcast") unless answer.code == '201'
        end
      end
    end
  end
end
