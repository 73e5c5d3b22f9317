import * as z from 'zod'
import { agentField } from './agent-form.ts'
import { id } from './fields.ts'

/** Formats of editing projects (contract 3, 2.1). */
export const projectFormats = ['xml', 'fcpxml', 'otio', 'gtrk', 'draft_a', 'draft_b'] as const
export type ProjectFormat = (typeof projectFormats)[number]

/** Formats of project files. A draft has two: its timeline and, with `nle_draft_dir`, its meta file. */
const projectFileFormats = [
  'xml',
  'fcpxml',
  'otio',
  'gtrk',
  'draft_a_draft',
  'draft_a_meta',
  'draft_b_draft',
  'draft_b_meta',
] as const
export type ProjectFileFormat = (typeof projectFileFormats)[number]

/** Maximum length of a path on the user's machine, characters (contract 3, 4.7). */
const maxPathLength = 1024

/** A path on the user's machine, which is written into projects and never opened. No project holds control characters. */
export const userPath = z
  .string()
  .min(1)
  .max(maxPathLength)
  .refine((path) => !/\p{Cc}/u.test(path), {
    error: 'it contains a control character',
    params: { fix: 'Give the full path of the file as your system shows it.' },
  })

/** Formats by the names of the editors that open them. */
const formatsByEditor: Readonly<Record<string, ProjectFormat>> = {
  ...{ premiere: 'xml', 'premiere pro': 'xml', 'adobe premiere': 'xml', 'adobe premiere pro': 'xml' },
  ...{ resolve: 'xml', davinci: 'xml', 'davinci resolve': 'xml', 'final cut 7': 'xml', xmeml: 'xml' },
  ...{ 'final cut': 'fcpxml', 'final cut pro': 'fcpxml', 'final cut pro x': 'fcpxml' },
  ...{ fcp: 'fcpxml', fcpx: 'fcpxml', opentimelineio: 'otio' },
}

/** Fields of requests whose results include editing projects. */
export const projectFields = {
  project_formats: z
    .array(agentField(z.enum(projectFormats), { names: formatsByEditor }))
    .min(1)
    .max(projectFormats.length)
    .optional()
    .describe('Default: xml (Premiere, Resolve). fcpxml: Final Cut Pro; draft_*: mobile editors'),
  source_path: userPath.optional().describe('Full path of the footage on the machine of the editor'),
  struct_meta: z
    .object({ nle_draft_dir: userPath.optional().describe("The editor's folder of drafts") })
    .optional()
    .describe('For drafts'),
}

/**
 * A field that only some requests read, which only their files show: an invalid value is kept unchanged, and the plan
 * rejects it where the field is read.
 */
export function uncheckedField<Schema extends z.ZodType>(schema: Schema): z.ZodCatch<Schema> {
  // JSON Schema asks for the value without a context.
  const keep = (context?: { readonly value: unknown }) => context?.value
  return schema.catch(keep as never)
}

/** A result file of the operations that cut (contract 3, 2.1). */
export const resultFile = z.object({
  type: z.enum(['project', 'video', 'subtitle', 'transcript']),
  format: z.enum([...projectFileFormats, 'mp4', 'srt', 'json']),
  file_id: id,
  download_url: z.string(),
  filename: z.string(),
  duration: z.number().optional().describe('Of a video, s'),
})
export type ResultFile = z.infer<typeof resultFile>
