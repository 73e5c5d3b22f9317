import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStoredLines } from '../../../src/engines/cutting/stored-lines.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'

it('stored lines are read again, without a line that was being written', async () => {
  const path = join(await scratchFolder(), 'lines.jsonl')
  const first = await openStoredLines<{ readonly text: string }>(path)
  expect(first.items).toEqual([])
  await first.add({ text: '日本語\n' })
  await appendFile(path, '{"text":"half é')
  const second = await openStoredLines<{ readonly text: string }>(path)
  expect(second.items).toEqual([{ text: '日本語\n' }])
  await second.add({ text: 'whole' })
  expect((await openStoredLines(path)).items).toEqual([{ text: '日本語\n' }, { text: 'whole' }])
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(3)
})
