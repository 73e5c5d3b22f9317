import { logFilter } from './levelled-log.ts'

/** Makes ffmpeg log every gap that its resampler fills, without merging repeated lines. */
export const gapLogArgs = ['-loglevel', 'repeat+level+verbose'] as const

/** The resampler logs its rates once, then each filled gap in samples of the first rate. */
const resamplerLine = /^\[Parsed_aresample_\d+ @ [^\]]*\] \[verbose\] ch:.* r:(\d+)Hz -> /
const silenceLine =
  /^\[Parsed_aresample_\d+ @ [^\]]*\] \[SWR @ [^\]]*\] \[verbose\] adding (\d+) audio samples of silence/

/** Sums the seconds of silence that replace missing, undecodable or late sound, from ffmpeg's log. */
export class FilledGaps {
  #seconds = 0
  #rate = Infinity

  get seconds(): number {
    return this.#seconds
  }

  /** Returns what ffmpeg would have logged without `gapLogArgs`. */
  readonly read = logFilter((line) => {
    const [, rate] = resamplerLine.exec(line) ?? []
    const [, samples] = silenceLine.exec(line) ?? []
    if (rate !== undefined) this.#rate = Number(rate)
    if (samples !== undefined) this.#seconds += Number(samples) / this.#rate
  })
}
