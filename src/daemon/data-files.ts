/** Files of a data folder; any of them identifies it as ours. */
export const dataFiles = {
  settings: 'reelwright.config.json',
  /** Locked by the process that starts the service. */
  startLock: 'start.lock',
  /** Locked by the service. */
  serviceLock: 'daemon.lock',
  /** Record of the running daemon, or of the last one that crashed. */
  record: 'daemon.json',
  log: 'daemon.log',
  database: 'reelwright.sqlite',
  /** Models and native engines. */
  packs: 'reelwright-packs',
} as const
