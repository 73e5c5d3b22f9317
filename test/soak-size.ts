/** Size of a long suite: full for `npm run test:soak`, short otherwise, for example with `--short` in CI. */
export function soakSize<T>(short: T, full: T): T {
  return process.env['SOAK_LENGTH'] === 'full' ? full : short
}
