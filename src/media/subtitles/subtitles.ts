import type { TextRange } from '../text-edits.ts'
import type { TextSource } from './encoding.ts'

export type SubtitleFormat = 'srt' | 'ass' | 'vtt'

/** An entry of a subtitle file. */
export interface SubtitleEntry {
  /** Times in milliseconds; `end` is later than `start`. */
  readonly start: number
  readonly end: number
  /** Text in the syntax of the file, with tags; line breaks of SRT and VTT are `\n`. */
  readonly text: string
  /** Comments of ASS are not shown. */
  readonly kind: 'dialogue' | 'comment'
  /** Layer and style of ASS; 0 and empty in other formats. */
  readonly layer: number
  readonly style: string
  /** First line of the entry in the file, from 1. */
  readonly line: number
  /** Ranges of its parts in the text of the file. */
  readonly at: { readonly start: TextRange; readonly end: TextRange; readonly text: TextRange }
}

/**
 * Why a part of a file is not an entry: its times are missing or invalid (`times`), negative, or 100 hours and more
 * (`too-late`); it ends before it starts (`reversed`) or has no duration (`zero`); it is text outside of entries
 * (`stray`), or a line of ASS with too few fields (`fields`).
 */
export type EntryIssue = 'times' | 'negative' | 'too-late' | 'reversed' | 'zero' | 'stray' | 'fields'

/** A part of a file that is not an entry. */
export interface SkippedEntry {
  /** Its first line, from 1. */
  readonly line: number
  readonly issue: EntryIssue
  /** Range of its whole lines in the text of the file, with the empty lines after it. */
  readonly at: TextRange
}

/** A parsed subtitle file. */
export interface Subtitles {
  readonly format: SubtitleFormat
  readonly source: TextSource
  /** Entries in the order of the file. */
  readonly entries: readonly SubtitleEntry[]
  readonly skipped: readonly SkippedEntry[]
  /** PlayRes of ASS; undefined if no side is set. */
  readonly canvas?: { readonly width: number; readonly height: number }
}

/** Called with each entry. Returns whether to stop reading the file. */
export type StopReading = (entry: SubtitleEntry) => boolean

/** Returns the issue of an entry's times in milliseconds; undefined if they are valid. */
export function timesIssue({
  start,
  end,
}: {
  readonly start: number
  readonly end: number
}): EntryIssue | undefined {
  if (start < 0 || end < 0) return 'negative'
  if (Math.max(start, end) >= tooLateMs) return 'too-late'
  if (end < start) return 'reversed'
  return end === start ? 'zero' : undefined
}

const tooLateMs = 100 * 3_600_000
