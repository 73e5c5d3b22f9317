import { expect, it } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { rewriteAss } from '../../src/media/subtitles/rewrite-ass.ts'
import { soakSize } from '../soak-size.ts'
import { startTranslationService } from './translation-service.ts'

const service = startTranslationService()

/** Size of each file, just below the limit, in bytes. */
const bombBytes = 8 * 2 ** 20 - 2000

const repeated = (part: string, bytes = bombBytes) => part.repeat(Math.floor(bytes / part.length))
const event = (text: string, second = 1) =>
  `Dialogue: 0,0:00:0${second}.00,0:00:0${second + 1}.00,Default,,0,0,0,,${text}\n`
const head = '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n'
const said = event('Hello there, my friend')

/** Parts of files by kind. The last ones change how later parts are read. */
const partsOf = (bytes: number) => ({
  'nested animations': event(`Hi ${repeated(String.raw`{\t(0,1,\t(0,1,`, bytes)}}`, 2),
  'drawings between words': event(`Hi ${repeated(String.raw`{\p1}m{\p0}`, bytes)}`, 3),
  'line breaks in one event': event(`Hi ${repeated(String.raw`\N`, bytes)}`, 4),
  comments: repeated(said.replace('Dialogue', 'Comment'), bytes),
  formats: repeated('Format: a\n', bytes),
  'a font without line ends': `[Fonts]\nfontname: a.ttf\n${repeated('!', bytes)}`,
})
/** Parts of files that are rejected, by kind. */
const rejectedParts = (bytes: number) => ({
  'open braces': event(`Hi ${repeated('{', bytes)}`, 2),
  backslashes: event(`Hi ${repeated('\\', bytes)}`, 3),
  'malformed events': repeated('Dialogue:\n', bytes),
})
const file = (...parts: readonly string[]) => head + said + parts.join('')

/** A file of each part, or of as many as are read together. */
const bombs = soakSize<readonly (readonly [what: string, text: string, code: number])[]>(
  [
    ['all kinds of parts', file(...Object.values(partsOf(bombBytes / 6))), 200],
    ['open braces and backslashes', file(...Object.values(rejectedParts(bombBytes / 2)).slice(0, 2)), 6016],
    ['malformed events', file(rejectedParts(bombBytes)['malformed events']), 6016],
  ],
  [
    ...Object.entries(partsOf(bombBytes)).map(([what, part]) => [what, file(part), 200] as const),
    ...Object.entries(rejectedParts(bombBytes)).map(([what, part]) => [what, file(part), 6016] as const),
  ],
)

it.each(bombs)('a file of %s does not block the service', async (_, text, code) => {
  const file_id = await service.upload('bomb.ass', text)
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN' }
  // The service runs in this thread. Processor time, because other tests may delay it for longer.
  const before = process.threadCpuUsage()
  const response = await service.calls.send('/task/subtitle_translate/quote', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { user, system } = process.threadCpuUsage(before)
  expect(response.code, response.msg).toBe(code)
  expect((user + system) / 1000, 'processor time, ms').toBeLessThan(300)
})

it('a style section of two million fields and half a million styles is rewritten in linear time', () => {
  const styles = `[V4+ Styles]\nFormat: ${repeated('a,', bombBytes / 2)}\n${repeated('Style:\n', bombBytes / 2)}`
  const subtitles = readSubtitles(Buffer.from(`${styles}${head}${said}`), { format: 'ass' })
  const [entry] = subtitles.entries
  if (!entry) throw new Error('the event was not read')
  const text = rewriteAss(subtitles, { styles: [], events: new Map([[entry, [{ text: 'Bonjour' }]]]) })
  expect(text.endsWith(',,Bonjour\n')).toBe(true)
})
