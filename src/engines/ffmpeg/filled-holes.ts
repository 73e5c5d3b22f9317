/**
 * With these ffmpeg tells each time that its resampler fills a hole, repeated lines are not drawn together, and lines
 * tell how grave they are.
 */
export const tellingHoles = ['-loglevel', 'repeat+level+verbose'] as const

/** What resamples tells its rates once, then each filling in samples of the first of them. */
const resampling = /^\[Parsed_aresample_\d+ @ [^\]]*\] \[verbose\] ch:.* r:(\d+)Hz -> /
const filling =
  /^\[Parsed_aresample_\d+ @ [^\]]*\] \[SWR @ [^\]]*\] \[verbose\] adding (\d+) audio samples of silence/

/** What ffmpeg tells where it is not asked for more. */
const grave = /\[(?:warning|error|fatal|panic)\] /

/** Longest beginning of a line that is kept until the rest comes, characters: tags of a file may be endless. */
const longestLine = 1000

/** Reads ffmpeg's log for the seconds of silence that stand where sound is missing or did not decode, or begins late. */
export class FilledHoles {
  #seconds = 0
  #rate = Infinity
  #rest = ''

  get seconds(): number {
    return this.#seconds
  }

  /** Answers what ffmpeg would have told without `tellingHoles`: tags and the like are no part of its log. */
  readonly read = (chunk: Buffer): Buffer => {
    const lines = (this.#rest + chunk.toString('latin1')).split(/[\r\n]/)
    this.#rest = (lines.pop() ?? '').slice(0, longestLine)
    for (const line of lines) {
      const [, rate] = resampling.exec(line) ?? []
      const [, samples] = filling.exec(line) ?? []
      if (rate !== undefined) this.#rate = Number(rate)
      if (samples !== undefined) this.#seconds += Number(samples) / this.#rate
    }
    const told = lines.filter((line) => grave.test(line)).map((line) => `${line.replace(grave, '')}\n`)
    return Buffer.from(told.join(''), 'latin1')
  }
}
