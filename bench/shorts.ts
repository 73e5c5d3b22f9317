import { mkdtemp, open, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isTerminal } from '../src/contract/task.ts'
import type { Transcript } from '../src/media/speech/transcript.ts'
import { seededRandom } from '../test/service/kill-rounds.ts'
import { testdata } from '../test/engines/ffmpeg/generate-media.ts'
import { type ChatBody, startModelServer } from '../test/engines/language-model/model-server.ts'
import { filmFaces, type FilmedShot } from '../test/engines/reframe/film-faces.ts'
import { api } from '../test/service/api.ts'
import { startServiceProcess } from '../test/service/process.ts'
import { writeLongTalk } from '../test/shorts/long-talk.ts'
import { answerAboutClips, clipInput, clipQuestion } from '../test/video-long2short/shorts-model.ts'
import { uploadFile } from '../test/video-oral-cut/cut-service.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { type WorkerUsage, workerUsage } from './worker-usage.ts'

// Makes clips of a generated talk in a service process: 1080p at 25 fps with faces (REELWRIGHT_TESTDATA) that change
// shot, words as tones, and its transcript. Prints wall and processor time against real time, and the peak memory of
// the worker (Linux). Without a language model, the number of clips follows the talk; with `most`, a stand-in for one
// selects nearly all of it.
// npm run bench -- shorts <minutes> <video|project|report|pro> [most]

const [minutes = '10', work = 'video', selection = 'usual'] = process.argv.slice(2)
const seconds = 60 * Number(minutes)
const [rate, soundRate] = [25, 16_000]
/** Speech in the clips that the stand-in selects, seconds: they may last three minutes, with their pauses. */
const selectedSeconds = 165

const folder = await mkdtemp(join(tmpdir(), 'bench-shorts-'))
try {
  const { transcript } = writeLongTalk('en', seconds - 10, seededRandom(5))
  console.log(await makeClips(await writeTalk(transcript), transcript))
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Writes a film of half a minute, repeated, with a tone for each word. Returns its path. */
async function writeTalk({ words }: Transcript): Promise<string> {
  const [sound, path] = [join(folder, 'talk.s16'), join(folder, 'talk.mp4')]
  await writeTones(sound, words)
  const face = (x: number, swing = 0) => ({ x, y: 0.4, width: 0.1, swing, period: 7 })
  const shots: FilmedShot[] = [
    { frames: 10 * rate, faces: [face(0.5, 0.02)] },
    { frames: 6 * rate, faces: [face(0.2), face(0.8)] },
    { frames: 9 * rate, faces: [face(0.3, 0.1)] },
    { frames: 5 * rate, faces: [] },
  ]
  const film = await filmFaces(folder, shots, {
    ...{ name: 'film', rate: { num: rate, den: 1 }, width: 960, height: 540 },
    filters: ['scale=1920:1080', 'noise=alls=4:allf=t'],
    output: ['-preset', 'veryfast', '-crf', '24', '-g', '60'],
  })
  await ffmpeg(
    ...['-stream_loop', '-1', '-i', film, '-f', 's16le', '-ar', String(soundRate), '-ac', '1', '-i', sound],
    ...['-map', '0:v', '-map', '1:a', '-t', String(seconds), '-c:v', 'copy', '-c:a', 'aac', path],
  )
  return path
}

/** Writes the samples of a talk, minute by minute: 180 Hz and two harmonics where a word is said. */
async function writeTones(path: string, words: Transcript['words']): Promise<void> {
  await using file = await open(path, 'w')
  let next = 0
  for (let from = 0; from < seconds; from += 60) {
    const samples = new Int16Array(Math.min(60, seconds - from) * soundRate)
    for (const index of samples.keys()) {
      const time = from + index / soundRate
      while ((words[next]?.end ?? Infinity) < time) next += 1
      const word = words[next]
      if (!word || time < word.start || time > word.end - 0.05) continue
      const angle = 2 * Math.PI * 180 * time
      samples[index] = 5000 * (Math.sin(angle) + 0.5 * Math.sin(2 * angle) + 0.3 * Math.sin(5 * angle))
    }
    await file.write(samples)
  }
}

/** Answers questions about clips; selects all sentences, divided into clips of equal lengths. */
function selectMost(body: ChatBody): unknown {
  const input = clipInput(body)
  if (clipQuestion(input) !== 'select_highlights') return answerAboutClips(input)
  const parts = input.parts ?? []
  const spoken = parts.reduce((sum, [, length]) => sum + length, 0)
  const count = Math.max(1, Math.round(spoken / selectedSeconds))
  const at = (share: number) => parts[Math.floor((parts.length * share) / count)]?.[0] ?? Infinity
  return {
    clips: Array.from({ length: count }, (_, index) => ({
      first: at(index),
      last: Math.min(at(index + 1) - 1, parts.at(-1)?.[0] ?? 0),
      score: 8,
    })),
  }
}

async function makeClips(path: string, { words, sentences }: Transcript): Promise<string> {
  const dataDir = join(folder, 'data')
  const mirror = testdata('models')
  await using model = selection === 'most' ? await startModelServer(selectMost) : undefined
  const service = await startServiceProcess(dataDir, {
    concurrency: 1,
    ...(model && {
      services: { language_model: { address: `${model.origin}/v1`, model: 'small', context_tokens: 32_768 } },
    }),
    packs: { folder: join(folder, 'packs'), automatic: true, ...(mirror !== undefined && { mirror }) },
  })
  try {
    const entry = ({ text, start, end }: (typeof sentences)[number] | (typeof words)[number]) => ({
      ...{ text, start_time: start, end_time: end },
    })
    const request = {
      ...{ file_id: await uploadFile(service, path), language: 'en-US', output_size: '9:16' },
      stt: { word_tc_list: words.map(entry), sentence_tc_list: sentences.map(entry) },
      ...(work === 'pro' ? {} : { outputs: ['report', work] }),
      ...(work === 'project' && { source_path: '/footage/talk.mp4' }),
    }
    const type = work === 'pro' ? 'video_long2short_pro' : 'video_long2short'
    const began = performance.now()
    const { status, msg, data } = await api(service).create(type, request)
    if (status !== 200) throw new Error(msg)
    const peak = { worker: 0, programs: 0 }
    let usage: WorkerUsage = { peakMiB: 0, programsMiB: 0, processorSeconds: 0 }
    let record = await api(service).query(type, data.task_id)
    while (!isTerminal(record.data.status)) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      usage = await workerUsage(dataDir).catch(() => usage)
      peak.worker = Math.max(peak.worker, usage.peakMiB)
      peak.programs = Math.max(peak.programs, usage.programsMiB)
      record = await api(service).query(type, data.task_id)
    }
    const wall = (performance.now() - began) / 1000
    return describe(record.data, { wall, processor: usage.processorSeconds, peak })
  } finally {
    await service.kill('SIGTERM')
  }
}

interface Figures {
  readonly wall: number
  readonly processor: number
  readonly peak: { readonly worker: number; readonly programs: number }
}

function describe(
  record: { readonly status: string; readonly output_result: unknown },
  { wall, processor, peak }: Figures,
): string {
  const { clips = [], errors } = record.output_result as {
    clips?: { source_start: number; source_end: number; duration?: number }[]
    errors?: object
  }
  const shown = clips.reduce((sum, clip) => sum + clip.source_end - clip.source_start, 0)
  const share = (value: number) => `${value.toFixed(0)} s (${(value / seconds).toFixed(2)} of the length)`
  return (
    `${minutes} minutes, ${work}: ${record.status}, ${clips.length} clips of ${shown.toFixed(0)} s in all; ` +
    `wall time ${share(wall)}, processor time ${share(processor)} on ${availableParallelism()} cores; ` +
    `peak ${peak.worker.toFixed(0)} MiB, and ${peak.programs.toFixed(0)} MiB of its programs; ${JSON.stringify(errors ?? record.output_result)}`
  )
}
