import type { TextSource } from './encoding.ts'

export type SubtitleFormat = 'srt' | 'ass' | 'vtt'

/** A part of a text, by its UTF-16 offsets; half open. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/** What is shown for a while. */
export interface SubtitleEntry {
  /** Ms from the start of the film; `end` is later than `start`. */
  readonly start: number
  readonly end: number
  /** As it stands in the file, tags and all; line breaks of SRT and VTT as `\n`. */
  readonly text: string
  /** Comments of ASS are not shown. */
  readonly kind: 'dialogue' | 'comment'
  /** Of ASS; 0 and empty elsewhere. */
  readonly layer: number
  readonly style: string
  /** Line of the file at which it begins, from 1. */
  readonly line: number
  /** Where its parts stand in the file's text. */
  readonly at: { readonly start: TextRange; readonly end: TextRange; readonly text: TextRange }
}

/**
 * Why something of a file is no entry: it has no times or such as nobody can read (`times`), negative ones, some of
 * 100 hours and more (`absurd`), it ends before it begins (`reversed`) or as it begins (`zero`), it is text that
 * belongs to no entry (`stray`), or a line of ASS with too few fields (`fields`).
 */
export type EntryFault = 'times' | 'negative' | 'absurd' | 'reversed' | 'zero' | 'stray' | 'fields'

/** What is kept in the file as it is, and dropped from the list. */
export interface SkippedEntry {
  readonly line: number
  readonly fault: EntryFault
}

/** A subtitle file as it was read. */
export interface Subtitles {
  readonly format: SubtitleFormat
  readonly source: TextSource
  /** In the order of the file. */
  readonly entries: readonly SubtitleEntry[]
  readonly skipped: readonly SkippedEntry[]
  /** PlayRes of ASS; undefined where it tells no side. */
  readonly canvas?: { readonly width: number; readonly height: number }
}

/** Told each entry that was read; whether that is enough, and the rest of the file need not be read. */
export type StopReading = (entry: SubtitleEntry) => boolean

/** What is wrong with times that were read. */
export function timesFault({
  start,
  end,
}: {
  readonly start: number
  readonly end: number
}): EntryFault | undefined {
  if (start < 0 || end < 0) return 'negative'
  if (Math.max(start, end) >= tooLateMs) return 'absurd'
  if (end < start) return 'reversed'
  return end === start ? 'zero' : undefined
}

const tooLateMs = 100 * 3_600_000
