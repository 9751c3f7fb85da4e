require 'json'

# Wrong JSON, and why.
class Wrong < StandardError; end

# One publish: `data` is JSON text.
Broadcast = Struct.new(:stream, :data) do
  # Reads `{"stream": S, "data": "<JSON>"}`. Raises `Wrong`.
  def self.read(text)
    request = object_in(text) or raise Wrong, 'the body is not a JSON object'
    stream, data = request.values_at('stream', 'data')
    raise Wrong, '"stream" is not a non-empty string' unless stream.is_a?(String) && !stream.empty?
    raise Wrong, '"data" is not a string of JSON' unless data.is_a?(String)
    raise Wrong, '"data" is a string, but what it holds is not JSON' unless json?(data)

    new(stream, data)
  end

  # The JSON object in a text, or nil.
  def self.object_in(text)
    value = JSON.parse(text)
    value if value.is_a?(Hash)
  rescue JSON::ParserError
    nil
  end

  def self.json?(text)
    JSON.parse(text)
    text.valid_encoding?
  rescue JSON::ParserError
    false
  end
end
