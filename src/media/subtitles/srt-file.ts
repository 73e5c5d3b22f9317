import type { Cue } from './split-cues.ts'
import { srtTime } from './times.ts'
import { escapeText } from './tokens.ts'

/** An SRT file of what is shown, numbered from 1; empty entries are left out. */
export function srtFile(entries: readonly Cue[]): string {
  return entries
    .map(({ start, end, lines }) => ({ start, end, lines: lines.filter((line) => line.trim() !== '') }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ start, end, lines }, index) => {
      const text = lines.map((line) => escapeText(line, 'srt').replaceAll(cueArrow, '→')).join('\n')
      return `${index + 1}\n${srtTime(start)} --> ${srtTime(end)}\n${text}\n`
    })
    .join('\n')
}

/** What would begin another entry of SRT or VTT; tried once for each row of dashes, however long. */
export const cueArrow = /(?<!-)-{2,}>/g
