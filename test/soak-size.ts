/** Size of a long suite: full for `npm run test:soak`, short otherwise, for example with `--short` in CI. */
export function soakSize<T>(short: T, full: T): T {
  return process.env['SOAK_LENGTH'] === 'full' ? full : short
}

/**
 * Cases of a test that is repeated with many values, or named tests of one behaviour: all of them with `npm run test:soak`,
 * otherwise `count` of them, evenly spaced, with the first and, of two or more, the last.
 */
export function sampleCases<T>(cases: readonly T[], count = 2): readonly T[] {
  const wanted = Math.min(count, cases.length)
  const step = (cases.length - 1) / Math.max(1, wanted - 1)
  const sample = Array.from({ length: wanted }, (_, at) => Math.round(at * step))
  return soakSize(
    cases.filter((_, index) => sample.includes(index)),
    cases,
  )
}
