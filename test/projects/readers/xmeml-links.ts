import type { Inspection } from './read-project.ts'
import { child, childrenNamed, descendants, type Element } from './xml.ts'

/**
 * Checks the links between the clips of a sequence: each names a clip item by id and, by track and position, the
 * same clip item. Positions count clips and transitions from 1.
 */
export function checkLinks(sequence: Element, inspection: Inspection): void {
  const clips = descendants(sequence).filter(({ name }) => name === 'clipitem')
  const ids = new Set(clips.map(({ attributes }) => attributes['id']))
  for (const clip of clips) {
    const own = clip.parent?.parent?.parent?.parent
    for (const link of childrenNamed(clip, 'link')) {
      const id = child(link, 'linkclipref')?.text ?? ''
      inspection.require(ids.has(id), ['reference', link.path, `there is no clipitem ${id}`])
      if (own === sequence) checkPosition(link, { sequence, id }, inspection)
    }
  }
}

function checkPosition(
  link: Element,
  { sequence, id }: { sequence: Element; id: string },
  inspection: Inspection,
): void {
  const kind = child(link, 'mediatype')?.text ?? ''
  const track = Number(child(link, 'trackindex')?.text)
  const position = Number(child(link, 'clipindex')?.text)
  const items = childrenNamed(child(sequence, `media/${kind}`), 'track')[track - 1]?.children ?? []
  const found = items.filter(({ name }) => name.endsWith('item'))[position - 1]
  if (found?.attributes['id'] === id) return
  inspection.broken('reference', link.path, `item ${position} of ${kind} track ${track} is not ${id}`)
}
