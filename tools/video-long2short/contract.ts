import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'
import { projectFields, resultFile } from '../../src/contract/project.ts'
import {
  checkSpokenFields,
  clipFields,
  clipOperation,
  clipRequestFields,
  clipSourceFields,
  hasOneTranscript,
  selectionFields,
  twoTranscripts,
} from '../../src/contract/shorts.ts'
import { describeClips } from './next-step.ts'

const outputNames = ['report', 'project', 'video', 'subtitle'] as const
const input = z
  .object({
    ...clipRequestFields,
    subtitle: agentField(z.object({ strip_punctuation: z.boolean().default(true) }), { isBrief: true })
      .prefault({})
      .describe('{strip_punctuation}'),
    split_screen: agentField(
      z.object({
        enable: z.boolean().default(false),
        prefer_mode: z.enum(['auto', 'single', 'multi']).default('auto'),
        orientation: z.enum(['auto', 'lr', 'tb']).default('auto'),
      }),
      { isBrief: true },
    )
      .prefault({})
      .describe('People side by side: {enable: true}'),
    outputs: z
      .array(z.enum(outputNames))
      .min(1)
      .max(outputNames.length)
      .default(['project', 'report'])
      .describe('Files per clip'),
    ...projectFields,
  })
  .refine(hasOneTranscript, twoTranscripts)
  .refine(({ outputs, source_path }) => !outputs.includes('project') || source_path !== undefined, {
    path: ['source_path'],
    error: 'required, because outputs includes project (the default)',
    params: {
      fix: 'Give the full path of the video on the machine of the editor, or outputs without project.',
    },
  })

const clip = z.object({
  ...clipFields,
  segment_count: z.int().min(1).describe('Kept parts of the video'),
  total_duration_ms: z.int().min(0),
  text: z.string().describe('What is said in the clip'),
  files: z.array(resultFile),
  ...clipSourceFields,
})

const output = z.object({
  clips: z.array(clip),
  report: z.object({
    ...selectionFields,
    degraded: z.boolean().describe('Not all clips were ranked and described by a language model'),
    split_manifest: z
      .array(
        z.object({
          ...{ file_id: id, download_url: z.string(), filename: z.string() },
          path: z.string().describe('Where the projects expect the file'),
          clip: z.int().min(1),
        }),
      )
      .optional(),
  }),
  errors: z
    .object({
      project: z.string().optional(),
      video: z.string().optional(),
      subtitle: z.string().optional(),
      split: z.string().optional(),
      framing: z.string().optional(),
    })
    .describe('Outputs that failed'),
  notes: z.array(z.string()).optional().describe('Remarks on the result'),
})

export const videoLong2short = operation({
  name: 'video_long2short',
  title: 'Cut a long video into short clips',
  description:
    'Selects the best passages of a long video with speech and makes short clips of them, each with a title: ' +
    'editing projects, videos or subtitles, framed on the faces.',
  details:
    'Clips begin and end with sentences and do not overlap. Their number and lengths follow the content. ' +
    'A language model, or the calling agent, ranks and describes them; without one, their words do (report.degraded).',
  ...clipOperation,
  input,
  output,
  selectFields,
  nextStep: describeClips,
  examples: [
    {
      title: 'Vertical clips for an editor',
      input: {
        ...{ file_id: 'podcast.mp4', language: 'en-US', source_path: '/Users/me/Movies/podcast.mp4' },
        project_formats: ['xml', 'fcpxml'],
      },
    },
    {
      title: 'Finished clips of up to a minute about one topic, with subtitles',
      input: {
        ...{ file_id: 'podcast.mp4', language: 'en-US', main_topic: 'sleep' },
        ...{ outputs: ['video', 'subtitle'], duration: { pref: 'short', max_clip_sec: 60 } },
      },
    },
  ],
})

/**
 * Rejects languages that are not recognised or not known, and two transcripts, before anything else. Omits the fields of
 * outputs that are not requested.
 */
function selectFields(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  checkSpokenFields(request)
  const { outputs, project_formats, source_path, struct_meta, ...others } = request
  const hasProject = !Array.isArray(outputs) || outputs.includes('project')
  return {
    ...others,
    ...(outputs !== undefined && { outputs }),
    ...(hasProject && { project_formats, source_path, struct_meta }),
  }
}
