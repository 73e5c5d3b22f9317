import { logFilter } from './levelled-log.ts'

/** With these ffmpeg tells each time that its resampler fills a hole; repeated lines are not drawn together. */
export const gapLogArgs = ['-loglevel', 'repeat+level+verbose'] as const

/** What resamples tells its rates once, then each filling in samples of the first of them. */
const resamplerLine = /^\[Parsed_aresample_\d+ @ [^\]]*\] \[verbose\] ch:.* r:(\d+)Hz -> /
const silenceLine =
  /^\[Parsed_aresample_\d+ @ [^\]]*\] \[SWR @ [^\]]*\] \[verbose\] adding (\d+) audio samples of silence/

/** Reads ffmpeg's log for the seconds of silence that stand where sound is missing or did not decode, or begins late. */
export class FilledGaps {
  #seconds = 0
  #rate = Infinity

  get seconds(): number {
    return this.#seconds
  }

  /** Answers what ffmpeg would have told without `gapLogArgs`. */
  readonly read = logFilter((line) => {
    const [, rate] = resamplerLine.exec(line) ?? []
    const [, samples] = silenceLine.exec(line) ?? []
    if (rate !== undefined) this.#rate = Number(rate)
    if (samples !== undefined) this.#seconds += Number(samples) / this.#rate
  })
}
