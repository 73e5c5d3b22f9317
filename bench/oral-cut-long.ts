import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '../src/media/audio/wav.ts'
import { isTerminal } from '../src/contract/task.ts'
import { speechRate } from '../src/media/speech/speech-types.ts'
import type { FakeService, Reply } from '../test/engines/services/fake-service.ts'
import { assemble } from '../test/recordings/assemble.ts'
import { writeScript } from '../test/recordings/script.ts'
import { startStandInRecogniser } from '../test/recordings/stand-in-recogniser.ts'
import { api } from '../test/service/api.ts'
import { startServiceProcess } from '../test/service/process.ts'
import { createCut, cutServiceOptions, taskType, uploadFile } from '../test/video-oral-cut/cut-service.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { workerUsage } from './worker-usage.ts'

// Cuts a long recording in a service process: a generated recording of about 100 s, repeated, with a small picture and a
// stand-in recogniser. Prints the time beside recognition, the processor time of the worker and its programs, and the
// peak memory of the worker (Linux). Sentences return after more than the 90 s in which a repeat counts as a retake.
// npm run bench -- oral-cut-long <minutes> <project|video>

const [minutes = '120', output = 'project'] = process.argv.slice(2)

/** Time that requests to the recogniser were open, ms. */
let recognitionMs = 0

const folder = await mkdtemp(join(tmpdir(), 'bench-oral-cut-'))
try {
  const recording = await assemble(writeScript({ language: 'en-US', seed: 3 }))
  await using recogniser = await startStandInRecogniser(recording)
  measureReplies(recogniser)
  const path = await repeatRecording(recording.samples)
  console.log(await cut(path, recogniser))
} finally {
  await rm(folder, { recursive: true, force: true })
}

function measureReplies(recogniser: FakeService): void {
  const reply: Reply = recogniser.otherwise
  recogniser.otherwise = async (response, heard) => {
    const began = performance.now()
    await reply(response, heard)
    recognitionMs += performance.now() - began
  }
}

/** Writes the sound, repeated to the given length, with a small picture. Returns the path. */
async function repeatRecording(samples: Float32Array): Promise<string> {
  const [sound, path] = [join(folder, 'talk.wav'), join(folder, 'talk.mp4')]
  await writeFile(sound, encodeWav({ samples, rate: speechRate }))
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=gray:size=160x90:rate=25', '-stream_loop', '-1', '-i', sound],
    ...['-t', String(60 * Number(minutes)), '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '35'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '96k', path],
  )
  return path
}

async function cut(path: string, recogniser: FakeService): Promise<string> {
  const dataDir = join(folder, 'data')
  const service = await startServiceProcess(dataDir, cutServiceOptions(recogniser, folder))
  try {
    const file_id = await uploadFile(service, path)
    const source = output === 'project' ? { source_path: '/footage/talk.mp4' } : {}
    const id = await createCut(service, { file_id, la: 'en-US', outputs: [output], ...source })
    const began = performance.now()
    let usage = await workerUsage(dataDir)
    let record = await api(service).query(taskType, id)
    while (!isTerminal(record.data.status)) {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      usage = await workerUsage(dataDir).catch(() => usage)
      record = await api(service).query(taskType, id)
    }
    const seconds = (performance.now() - began) / 1000
    const beside = seconds - recognitionMs / 1000
    const { status, output_result } = record.data
    const { report } = output_result as { report?: { duration_after: number } }
    return (
      `${minutes} minutes, ${output}: ${status}, ${recogniser.heard.length} requests; ${seconds.toFixed(0)} s, ` +
      `${beside.toFixed(0)} s of them beside recognition (${(beside / (60 * Number(minutes))).toFixed(3)} of the length); ` +
      `${usage.processorSeconds.toFixed(0)} processor seconds; peak ${usage.peakMiB.toFixed(0)} MiB; ` +
      `${report?.duration_after ?? 0} s remain`
    )
  } finally {
    await service.kill('SIGTERM')
  }
}
