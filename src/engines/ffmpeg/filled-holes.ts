/** With these ffmpeg tells each time that its resampler fills a hole; repeated lines are not drawn together. */
export const tellingHoles = ['-loglevel', 'repeat+verbose'] as const

/** What resamples tells its rates once, then each filling in samples of the first of them. */
const resampling = /^\[Parsed_aresample_\d+ @ [^\]]*\] ch:.* r:(\d+)Hz -> /
const filling = /^\[Parsed_aresample_\d+ @ [^\]]*\] \[SWR @ [^\]]*\] adding (\d+) audio samples of silence/

/** Longest beginning of a line that is kept until the rest comes, characters: tags of a file may be endless. */
const longestLine = 1000

/** Reads ffmpeg's log for the seconds of silence that stand where sound is missing or did not decode, also before a late start. */
export class FilledHoles {
  #seconds = 0
  #rate = Infinity
  #rest = ''

  get seconds(): number {
    return this.#seconds
  }

  readonly read = (chunk: Buffer): void => {
    const lines = (this.#rest + chunk.toString('latin1')).split(/[\r\n]/)
    this.#rest = (lines.pop() ?? '').slice(0, longestLine)
    for (const line of lines) {
      const [, rate] = resampling.exec(line) ?? []
      const [, samples] = filling.exec(line) ?? []
      if (rate !== undefined) this.#rate = Number(rate)
      if (samples !== undefined) this.#seconds += Number(samples) / this.#rate
    }
  }
}
