/** Files of a data folder: by any of them it is known as ours. */
export const dataFiles = {
  settings: 'reelwright.config.json',
  /** Held by whoever starts the service. */
  startLock: 'start.lock',
  /** Held by the service. */
  serviceLock: 'daemon.lock',
  /** Who the daemon is, or the last one that died. */
  record: 'daemon.json',
  log: 'daemon.log',
  database: 'reelwright.sqlite',
  /** Models and native engines. */
  packs: 'reelwright-packs',
} as const
