import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputOf, RunContext } from '../../src/contract/operation.ts'
import { videoLong2shortPro } from '../../tools/video-long2short-pro/contract.ts'
import { plan } from '../../tools/video-long2short-pro/plan.ts'
import { run } from '../../tools/video-long2short-pro/run.ts'
import { generateMedia, h264 } from '../engines/ffmpeg/generate-media.ts'
import { soakSize } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

export type ProOutput = OutputOf<typeof videoLong2shortPro>

/** The result of a run, with the paths of its files by their names. */
export interface ProRun {
  readonly output: ProOutput
  readonly paths: ReadonlyMap<string, string>
  readonly progress: readonly number[]
}

/** Frames per second of the talk. */
export const talkRate = soakSize(15, 25)

/** A sentence of eight words lasts 3.2 s; usual pause after it, seconds. */
const [wordSeconds, wordStep, usualPause] = [0.3, 0.4, 0.8]
const wordsPerSentence = 8

const sentences = [
  'nobody warned me that silence could be loud',
  'we sold the house for 20 gold coins',
  'my doctor gave me six months to live',
  'so I danced every night until the sunrise',
  'what would you do with only one summer',
  'I bought a ticket and left that evening',
  'forty years later I still keep that ticket',
  'fear is a compass when you read it',
]

/** Path of a talk whose words are tones, its words and its sentences. */
export interface ToneTalk {
  readonly path: string
  readonly stt: { readonly word_tc_list: readonly SttEntry[]; readonly sentence_tc_list: readonly SttEntry[] }
}

interface SttEntry {
  readonly text: string
  readonly start_time: number
  readonly end_time: number
}

const round = (seconds: number) => Math.round(seconds * 1000) / 1000

interface ToneTalkOptions {
  /** The source of ffmpeg that draws the picture. */
  readonly picture?: string
  /** Sound below the words, an expression of `aevalsrc`. */
  readonly background?: string
  /** After each sentence, seconds. */
  readonly pause?: number
}

/** Writes a talk of `seconds` over a moving picture of 320 x 180; each word is a tone. */
export async function writeToneTalk(
  path: string,
  seconds: number,
  { picture = 'testsrc2', background = '0', pause = usualPause }: ToneTalkOptions = {},
): Promise<ToneTalk> {
  const sentenceSeconds = wordsPerSentence * wordStep + pause
  const isWord = `lt(mod(t,${sentenceSeconds}),${wordsPerSentence * wordStep})*lt(mod(mod(t,${sentenceSeconds}),${wordStep}),${wordSeconds})`
  const voice = '0.2*(sin(2*PI*180*t)+0.5*sin(2*PI*360*t)+0.3*sin(2*PI*900*t))'
  await generateMedia(path, [
    ...[
      '-f',
      'lavfi',
      '-i',
      `${picture}${picture.includes('=') ? ':' : '='}size=320x180:rate=${talkRate}:duration=${seconds}`,
    ],
    ...['-f', 'lavfi', '-i', `aevalsrc='if(${isWord},${voice},0)+${background}':s=48000:d=${seconds}`],
    ...[...h264, '-g', '50', '-c:a', 'aac'],
  ])
  const list = Array.from({ length: Math.floor(seconds / sentenceSeconds) }, (_, index) => {
    const start = index * sentenceSeconds
    const words = (sentences[index % sentences.length] ?? '').split(' ')
    const entries = words.map((word, at) => {
      const text = at === words.length - 1 ? `${word}.` : word
      return {
        text,
        start_time: round(start + at * wordStep),
        end_time: round(start + at * wordStep + wordSeconds),
      }
    })
    const end = entries.at(-1)?.end_time ?? start
    return { entries, sentence: { text: `${words.join(' ')}.`, start_time: start, end_time: end } }
  })
  return {
    path,
    stt: {
      word_tc_list: list.flatMap(({ entries }) => entries),
      sentence_tc_list: list.map(({ sentence }) => sentence),
    },
  }
}

let runs = 0

interface RunProOptions {
  readonly folder: string
  /** Folder of an earlier run, whose finished steps are used. */
  readonly scratch?: string
  readonly context?: Partial<RunContext>
}

/** Makes finished clips of a video as a worker does, with the packs of the test. */
export async function runPro(
  path: string,
  request: Readonly<Record<string, unknown>>,
  { folder, scratch: given, context: changes = {} }: RunProOptions,
): Promise<ProRun> {
  runs += 1
  const files = await stageFiles([path])
  const input = videoLong2shortPro.input.parse({ file_id: fileIdOf(path), language: 'en-US', ...request })
  plan(input, files)
  const scratch = given ?? join(folder, `pro-${runs}`)
  await mkdir(scratch, { recursive: true })
  const { context, results, progress } = createTestContext(files, scratch)
  const output = videoLong2shortPro.output.strict().parse(await run(input, { ...context, ...changes }))
  return { output, paths: new Map(results.map(({ name, path: kept }) => [name, kept])), progress }
}
