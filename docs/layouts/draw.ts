import { readFile, writeFile } from 'node:fs/promises'
import { drawLayoutSheet, layoutDigests } from '../../src/media/layout/sheet.ts'

// Writes the overview sheets of the layout catalogue, and the digests of new shapes to ids.json.
// With --check, writes nothing and fails if a file is out of date.

const check = process.argv.includes('--check')
const folder = new URL('./', import.meta.url)
const stale: string[] = []

async function writeIfChanged(name: string, text: string): Promise<void> {
  const file = new URL(name, folder)
  const before = await readFile(file, 'utf8').catch(() => '')
  if (before === text) return
  if (check) stale.push(name)
  else await writeFile(file, text)
}

for (let clips = 2; clips <= 16; clips += 1) {
  await writeIfChanged(`${String(clips).padStart(2, '0')}-clips.svg`, drawLayoutSheet(clips))
}

const recorded = JSON.parse(await readFile(new URL('ids.json', folder), 'utf8').catch(() => '{}')) as Record<
  string,
  number
>
const digests = layoutDigests()
const changed = Object.keys(recorded).filter((shape) => recorded[shape] !== digests[shape])
if (changed.length > 0) {
  process.stderr.write(
    `The layout ids of these shapes changed, but ids are permanent: ${changed.join(', ')}. Append new shapes instead.\n`,
  )
  process.exitCode = 1
} else {
  await writeIfChanged('ids.json', `${JSON.stringify(digests, undefined, 2)}\n`)
}
if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run: node docs/layouts/draw.ts\n`)
  process.exitCode = 1
}
