# The image as a system of its own, with systemd, for the test of the unit.
FROM ringside
USER 0
RUN apt-get update && apt-get install --yes --no-install-recommends systemd-sysv && rm -r /var/lib/apt/lists && \
  ln -s /app/dist/src/cli/main.js /usr/local/bin/ringside && install -d /etc/ringside
ENTRYPOINT ["/sbin/init"]
