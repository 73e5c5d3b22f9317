import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeVoice } from '../src/engines/ffmpeg/sound.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { openVoiceActivityDetector } from '../src/engines/speech/voice-activity.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { measure, processorSeconds } from './measure.ts'

// Memory of voice activity detection by length of the recording: the peak of this process and of its child processes, and
// its mean in the second and the last quarter. Speed as a multiple of real time, by wall time and by processor time
// (Linux). The recording is repeated to the given length.
// npm run bench -- speech-memory <folder of models> <recording> <minutes>

const [models = '', recording = '', minutes = '120'] = process.argv.slice(2)

process.env['ORT_DISABLE_TELEMETRY'] = '1'
const folder = await mkdtemp(join(tmpdir(), 'bench-speech-memory-'))
try {
  const long = join(folder, 'long.flac')
  await ffmpeg('-stream_loop', '-1', '-i', recording, '-t', String(60 * Number(minutes)), long)
  configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })
  console.log(`${minutes} minutes: ${await detect(long)}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function detect(path: string): Promise<string> {
  const { signal } = new AbortController()
  await using detector = await openVoiceActivityDetector(signal)
  /** Samples of the resident memory of this process, MiB. */
  const residentMiB: number[] = []
  const sampling = setInterval(() => residentMiB.push(process.memoryUsage().rss / 2 ** 20), 200)
  const before = await processorSeconds()
  let [spans, speechSeconds] = [0, 0]
  const { seconds, peakMiB } = await measure(async () => {
    const sound = decodeVoice(path, { signal, timeoutMs: 24 * 3_600_000 })
    for await (const { start, end } of detector.detect(sound, { signal })) {
      spans += 1
      speechSeconds += end - start
    }
  })
  clearInterval(sampling)
  const mean = (from: number, to: number) => {
    const part = residentMiB.slice(from * residentMiB.length, to * residentMiB.length)
    return Math.round(part.reduce((sum, size) => sum + size, 0) / part.length)
  }
  const realTimeFactor = (spent: number) => Math.round((60 * Number(minutes)) / spent)
  return (
    `${spans} spans, ${Math.round(speechSeconds)} s of speech; ${realTimeFactor(seconds)} times real time, ` +
    `${realTimeFactor((await processorSeconds()) - before)} by processor time; peak ${Math.round(Math.max(...residentMiB))} MiB and ` +
    `${peakMiB} MiB of its child processes; mean in the second quarter ${mean(0.25, 0.5)} MiB, in the last ${mean(0.75, 1)} MiB`
  )
}
