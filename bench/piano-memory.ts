import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { initializeProcess } from '../test/service/initialize-process.ts'

// Memory of piano_audio_to_midi by length of the recording, in a process like a worker: the peak of the process and of its
// child processes, and its mean in the second and the last quarter. Speed as a multiple of real time, by wall time and by
// processor time (Linux). The recording repeats a piece of four voices.
// npm run bench -- piano-memory <folder of models> <minutes> [minutes] ...

// Starts like a worker: modules loaded earlier would permanently grow the heap's young generation.
initializeProcess()
const { manifest } = await import('../src/engines/packs/manifest.ts')
const { configurePacks } = await import('../src/engines/packs/resolve.ts')
const { generatePiece } = await import('../test/piano/generated-pieces.ts')
const { record, writeWav } = await import('../test/piano/recordings.ts')
const { createTestContext, fileIdOf, stageFiles } = await import('../test/tasks/run-in-worker.ts')
const { ffmpeg } = await import('../test/video-split-screen/media.ts')
const { run } = await import('../tools/piano-audio-to-midi/run.ts')
const { measure, processorSeconds } = await import('./measure.ts')

const [models = '', ...lengths] = process.argv.slice(2)
const [recording = ''] = lengths

await (recording.endsWith('.flac') ? transcribeMeasured(recording) : compare())

async function compare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-piano-memory-'))
  try {
    const soundFont = join(models, 'florestan.sf2')
    const onePass = await writeWav(
      join(folder, 'once.wav'),
      await record(generatePiece('voices', 7), { soundFont }),
    )
    for (const minutes of lengths) {
      const long = join(folder, `${minutes}.flac`)
      await ffmpeg('-stream_loop', '-1', '-i', onePass, '-t', String(60 * Number(minutes)), long)
      const program = [fileURLToPath(import.meta.url), models, long, minutes]
      const { stdout } = await promisify(execFile)(process.execPath, program)
      console.log(`${minutes} minutes: ${stdout.trim()}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function transcribeMeasured(path: string): Promise<void> {
  const folder = join(dirname(path), 'work')
  await mkdir(folder, { recursive: true })
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })
  /** Samples of the resident memory of this process, MiB. */
  const residentMiB: number[] = []
  const sampling = setInterval(() => residentMiB.push(process.memoryUsage().rss / 2 ** 20), 200)
  const files = await stageFiles([path])
  const { seconds, peakMiB } = await measure(async () => {
    await run({ file_id: fileIdOf(path) }, createTestContext(files, folder).context)
  })
  clearInterval(sampling)
  const ownPeakMiB = Math.round(process.resourceUsage().maxRSS / 1024)
  const mean = (from: number, to: number) => {
    const part = residentMiB.slice(from * residentMiB.length, to * residentMiB.length)
    return Math.round(part.reduce((sum, size) => sum + size, 0) / part.length)
  }
  const realTimeFactor = (spent: number) => ((60 * Number(lengths[1])) / spent).toFixed(1)
  console.log(
    `peak ${ownPeakMiB} MiB and ${peakMiB} MiB of its child processes; its mean in the second quarter ${mean(0.25, 0.5)} MiB, ` +
      `in the last ${mean(0.75, 1)} MiB; ${realTimeFactor(seconds)} times real time, ` +
      `${realTimeFactor(await processorSeconds())} by processor time`,
  )
}
