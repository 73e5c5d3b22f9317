import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { locateFfmpeg, useFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { subtitleTranslate } from '../../tools/subtitle-translate/contract.ts'
import { plan } from '../../tools/subtitle-translate/plan.ts'
import { run } from '../../tools/subtitle-translate/run.ts'
import { setModel, startModelServer, type ModelServer } from '../engines/language-model/model-server.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { fileIdOf, runInWorker, stageFiles } from '../tasks/run-in-worker.ts'
import { srtOf } from './translation-service.ts'
import { translatingModel } from './translator.ts'

// Reported by a task: degradation, notes, counts and progress.

let model: ModelServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  model = await startModelServer()
  folder = await temporaryFolder()
})
beforeEach(() => {
  setModel(model)
  model.says = translatingModel()
})
afterAll(async () => {
  configureServices({})
  await model[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function translated(name: string, content: string, request: object = {}) {
  const path = join(folder.path, name)
  await writeFile(path, content)
  const body = { file_id: fileIdOf(path), language: 'en-US', translate_language: 'zh-CN', ...request }
  const files = await stageFiles([path])
  return await runInWorker({ operation: subtitleTranslate, plan, run }, body, {
    ...{ files, folder: folder.path },
  })
}

test('the result reports estimated widths without libass', async () => {
  const degraded = async () => (await translated('widths.srt', srtOf(['Hi there']))).output.degraded
  const found = await locateFfmpeg()
  useFfmpeg({ ...found, filters: new Set() })
  onTestFinished(() => useFfmpeg(found))
  expect(await degraded()).toEqual({ summary: false, width_budget: true, translation: false })
  useFfmpeg(found)
  expect(await degraded()).toEqual({ summary: false, width_budget: false, translation: false })
})

test('a file whose script does not match its language is translated with a note', async () => {
  const notesOf = async (language: string, lines: readonly string[]) => {
    const { output } = await translated('letters.srt', srtOf(lines), { language })
    return output.notes
  }
  const english = ['We were on the way', 'to the station.', 'It was late.', '1984']
  expect(await notesOf('ja-JP', english)).toEqual([expect.stringContaining('letters of ja-JP')])
  expect(await notesOf('en-US', english)).toBeUndefined()
  expect(await notesOf('es-ES', ['Это было давно.'])).toEqual([expect.stringContaining('letters of es-ES')])
  expect(await notesOf('ja-JP', ['OK!', 'OK.', '東京へ行きます。'])).toBeUndefined()
  expect(await notesOf('ja-JP', ['1984', '...'])).toBeUndefined()
})

test('progress includes fonts, which are measured first, and the summary', async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `Line ${at + 100} is said`)
  expect((await translated('short.srt', srtOf(lines(3)))).progress).toEqual([5, expect.closeTo(98)])
  const { progress } = await translated('long.srt', srtOf(lines(200)), { line_mode: 'keep' })
  expect(progress.length).toBeGreaterThan(5)
  expect(progress).toEqual(progress.toSorted((one, other) => one - other))
  expect(progress.slice(0, 2)).toEqual([5, expect.closeTo(9.65)])
})

const lyrics = [
  '[Events]',
  'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
  'Dialogue: 0,0:00:01.00,0:00:02.00,A,,0,0,0,,Good evening',
  String.raw`Dialogue: 0,0:00:03.00,0:00:04.00,A,,0,0,0,,{\k20}la{\k30}la`,
  String.raw`Dialogue: 0,0:00:05.00,0:00:06.00,A,,0,0,0,,{\p1}m 0 0 l 9 9{\p0}`,
  'Dialogue: 0,0:00:07.00,0:00:07.00,A,,0,0,0,,of no time',
  '',
].join('\n')
const blank = `${srtOf(['Good evening'])}\n2\n00:00:05,000 --> 00:00:06,000\n \n`

test.each([
  ['syllables are written to srt, drawings are not', 'sung.ass', lyrics, { output_format: 'srt' }, 2, 2],
  ['lines that are not translated stay in ass', 'sung.ass', lyrics, {}, 1, 1],
  ['blank entries are left out of ass', 'blank.srt', blank, { output_format: 'ass' }, 1, 1],
  ['blank entries stay where lines keep their times', 'blank.srt', blank, { line_mode: 'keep' }, 1, 0],
] as const)('%s, and counted so', async (_, name, content, request, output_lines, skipped_total) => {
  const { output } = await translated(name, content, request)
  expect(output.stats).toEqual({ input_lines: 1, output_lines, skipped_total })
})

/** A file whose second and third entries are invalid, and what its result must not contain. */
const withInvalidEntries = {
  srt: [
    '1\n00:00:01,000 --> 00:00:02,000\nGood evening.',
    '2\n00:00:03,000 --> 00:00:03,000\nof no time',
    '3\n00:00:xx,000 --> 00:00:05,000\nof broken times\n',
    '4\n00:00:06,000 --> 00:00:07,000\nGood night.\n',
  ].join('\n\n'),
  ass: [
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    'Dialogue: 0,0:00:01.00,0:00:02.00,A,,0,0,0,,Good evening.',
    'Dialogue: 0,0:00:03.00,0:00:03.00,A,,0,0,0,,of no time',
    'Dialogue: 0,0:00:05.00,0:00:04.00,A,,0,0,0,,of broken times',
    'Comment: 0,0:00:00.00,0:00:00.00,A,,0,0,0,,of an editor',
    'Dialogue: 0,0:00:06.00,0:00:07.00,A,,0,0,0,,Good night.',
    '',
  ].join('\n'),
} as const

test.each(
  (['keep', 'resegment'] as const).flatMap((line_mode) =>
    (['srt', 'ass'] as const).flatMap((from) =>
      (['srt', 'ass'] as const).map((output_format) => ({ line_mode, from, output_format })),
    ),
  ),
)(
  '$line_mode drops entries without duration and malformed ones: $from to $output_format',
  async ({ line_mode, from, output_format }) => {
    const content = withInvalidEntries[from]
    const { output, path } = await translated(`invalid.${from}`, content, { line_mode, output_format })
    const text = await readFile(path, 'utf8')
    expect(text).not.toMatch(/of no time|of broken times|xx/)
    const { entries, skipped } = readSubtitles(Buffer.from(text), { format: output_format })
    const dialogue = entries.filter(({ kind }) => kind === 'dialogue')
    expect(dialogue.map(({ text: shown }) => shown)).toEqual(['译文Good evening 译文', '译文Good night 译文'])
    expect(skipped).toEqual([])
    expect(output.stats).toEqual({ input_lines: 2, output_lines: 2, skipped_total: 2 })
    if (from === 'ass' && output_format === 'ass') expect(text).toContain('of an editor')
    if (from === 'srt' && output_format === 'srt' && line_mode === 'keep')
      expect(text.match(/^\d+$/gm)).toEqual(['1', '4'])
  },
)
