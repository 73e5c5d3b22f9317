import { readFile, writeFile } from 'node:fs/promises'
import { drawLayoutSheet, idMeanings } from '../../src/media/layout/sheet.ts'

// Draws the picture sheets of the layout catalogue and notes what new layout ids mean.
// With --check it changes nothing and fails when something is out of date.

const check = process.argv.includes('--check')
const here = new URL('./', import.meta.url)
const stale: string[] = []

async function keep(name: string, text: string): Promise<void> {
  const file = new URL(name, here)
  const before = await readFile(file, 'utf8').catch(() => '')
  if (before === text) return
  if (check) stale.push(name)
  else await writeFile(file, text)
}

for (let clips = 2; clips <= 16; clips += 1) {
  await keep(`${String(clips).padStart(2, '0')}-clips.svg`, drawLayoutSheet(clips))
}

const known = JSON.parse(await readFile(new URL('ids.json', here), 'utf8').catch(() => '{}')) as Record<
  string,
  number
>
const meanings = idMeanings()
const changed = Object.keys(known).filter((shape) => known[shape] !== meanings[shape])
if (changed.length > 0) {
  process.stderr.write(
    `These shapes changed what their layout ids mean, which must never be: ${changed.join(', ')}\n`,
  )
  process.exitCode = 1
} else {
  await keep('ids.json', `${JSON.stringify(meanings, undefined, 2)}\n`)
}
if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run: node docs/layouts/draw.ts\n`)
  process.exitCode = 1
}
