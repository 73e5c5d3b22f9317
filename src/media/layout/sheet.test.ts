import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { drawLayoutSheet, layoutDigests } from './sheet.ts'

const folder = new URL('../../../docs/layouts/', import.meta.url)

it('keeps all existing layout ids unchanged', async () => {
  const expected = JSON.parse(await readFile(new URL('ids.json', folder), 'utf8')) as Record<string, number>
  expect(layoutDigests(), 'after adding shapes, run: node docs/layouts/draw.ts').toEqual(expected)
})

it.each(Array.from({ length: 15 }, (_, index) => index + 2))(
  'has an up-to-date overview of the catalogue for %i clips',
  async (clips) => {
    const drawn = await readFile(new URL(`${String(clips).padStart(2, '0')}-clips.svg`, folder), 'utf8')
    expect(drawLayoutSheet(clips) === drawn, 'out of date; run: node docs/layouts/draw.ts').toBe(true)
  },
)
