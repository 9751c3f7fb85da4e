# frozen_string_literal: true

require_relative 'arguments'

# A program that this process starts and that ends with it, even when this process is killed.
class Companion
  attr_reader :pid

  # Starts it. The kernel kills it when the thread that started it ends: call this from the main thread.
  def initialize(name, *command)
    @is_over = false
    @last_words = ''
    log, out = IO.pipe
    @pid = Process.spawn('setpriv', '--pdeathsig', 'KILL', '--', *command, in: File::NULL, %i[out err] => out)
    out.close
    @watch = Process.detach(@pid)
    @notice = Thread.new { watch(name, log) }
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

  # Gives the notice of its end a moment, if it has ended.
  def await_notice
    @notice.join(1)
  end

  # Waits until the block gives a true value.
  def wait
    500.times do
      return if yield

      sleep 0.02
    end
    Arguments.fail('a program beside Rails does not answer', 1)
  end

  private

  # Its log is only of interest when it ends by itself.
  def watch(name, log)
    log.each_line { |line| @last_words = line.strip }
    @watch.join
    Arguments.fail("#{name} ended: #{@last_words}", 1) unless @is_over
  end
end
