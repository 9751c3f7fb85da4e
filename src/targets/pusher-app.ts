/** The app of the Pusher servers here, which the options of the protocol name by default, and its paths. */
export const pusherApp = {
  id: 'app-id',
  key: 'app-key',
  secret: 'app-secret',
  wsPath: '/app/app-key?protocol=7',
  publishPath: '/apps/app-id/events',
} as const;
