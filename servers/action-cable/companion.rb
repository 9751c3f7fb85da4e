# frozen_string_literal: true

require_relative 'arguments'

# A program that this process starts and that ends with it, even when this process is killed.
class Companion
  attr_reader :pid

  # Starts it. The kernel kills it when the thread that started it ends: call this from the main thread.
  def initialize(name, *command)
    @is_over = false
    @pid = Process.spawn('setpriv', '--pdeathsig', 'KILL', '--', *command, in: :close, out: :err)
    @watch = Process.detach(@pid)
    Thread.new do
      status = @watch.value
      Arguments.fail("#{name} ended: #{status}", 1) unless @is_over
    end
  rescue SystemCallError => e
    Arguments.fail("can't start #{name}: #{e.message}", 1)
  end

  def stop
    @is_over = true
    Process.kill(:TERM, @pid)
    @watch.join
  rescue Errno::ESRCH
    # It is gone.
  end

  # Waits until the block gives a true value.
  def wait
    200.times do
      return if yield

      sleep 0.02
    end
    Arguments.fail('a program beside Rails does not answer', 1)
  end
end
