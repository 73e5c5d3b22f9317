import type { Cue } from './split-cues.ts'
import { srtTime } from './times.ts'
import { escapeText } from './tokens.ts'

/** Formats cues as an SRT file, numbered from 1. Skips empty cues. */
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

/**
 * An arrow in text, which would start another entry of SRT or VTT. Matches linearly in rows of dashes of any length.
 */
export const cueArrow = /(?<!-)-{2,}>/g
