/** Formats of editing projects (contract 3, 2.1). */
export const projectFormats = ['xml', 'fcpxml', 'otio', 'gtrk', 'draft_a', 'draft_b'] as const
export type ProjectFormat = (typeof projectFormats)[number]

/** Formats of project files. A draft has two: its timeline and, with `nle_draft_dir`, its meta file. */
export type ProjectFileFormat =
  | Exclude<ProjectFormat, 'draft_a' | 'draft_b'>
  | `${'draft_a' | 'draft_b'}_${'draft' | 'meta'}`
