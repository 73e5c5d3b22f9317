import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { voice, type Voice } from '../contract/catalog.ts'
import { toolsets } from '../contract/operation.ts'
import { isDownloadUrl } from '../engines/packs/download-url.ts'
import { manifest } from '../engines/packs/manifest.ts'
import {
  serviceInfo,
  objectOrLine,
  languageModelService,
  serviceKey,
  transcriptionService,
  voiceService,
} from '../engines/services/services.ts'

/** What people are told of a setting; in Markdown, as docs/settings.md shows it. */
interface SettingDescription {
  /** The environment variable, which goes before the file; left out for what the file alone tells. */
  readonly variable?: string
  readonly meaning: string
  /** What holds where nobody sets it. */
  readonly byDefault: string
}

/** Values that hold where nobody sets another. */
export const defaults = { log_level: 'info', host: '127.0.0.1', port: 8787, pull_models: true } as const

/** Where results go when no folder is configured; created on first use. */
export const defaultWorkspace = join(homedir(), 'Reelwright')

const descriptions = z.registry<SettingDescription>()
const path = z.string().min(1)

/** Models that people bring, by their names. */
const ownModels = Object.entries(manifest).flatMap(([name, { kind }]) => (kind === 'own' ? name : []))

/** Settings of `reelwright.config.json`. */
export const settings = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_BASE_URL',
      meaning: 'Address of a service elsewhere',
      byDefault: 'the service of this machine',
    }),
  api_key: z.string().min(1).optional().register(descriptions, {
    variable: 'REELWRIGHT_API_KEY',
    meaning:
      'Key of the service elsewhere; for `reelwright serve`, the key that it takes, of 20 characters or more',
    byDefault: '`serve` makes one for each run',
  }),
  allowed_dirs: z.array(path).optional().register(descriptions, {
    variable: 'REELWRIGHT_ALLOWED_DIRS',
    meaning: 'Folders agents may use: a list; in the variable separated as in `PATH`',
    byDefault: 'none beside the workspace',
  }),
  workspace: path.optional().register(descriptions, {
    variable: 'REELWRIGHT_WORKSPACE',
    meaning: "Where an agent's relative paths start and results go",
    byDefault: 'the first folder agents may use, else `~/Reelwright`',
  }),
  allow_urls: z.boolean().optional().register(descriptions, {
    variable: 'REELWRIGHT_ALLOW_URLS',
    meaning: '`true`: agents may name files by https addresses of the internet, which are fetched here',
    byDefault: '`false`',
  }),
  toolsets: z
    .array(z.enum(toolsets))
    .min(1)
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_TOOLSETS',
      meaning: `Groups of tools that agents see: a list of ${toolsets.map((name) => `\`${name}\``).join(', ')}; in variables and options with commas`,
      byDefault: 'all',
    }),
  tools: z.array(z.string().min(1)).min(1).optional().register(descriptions, {
    variable: 'REELWRIGHT_TOOLS',
    meaning: 'Tools that agents see, by name, beside those of `toolsets`; a list as there',
    byDefault: 'all',
  }),
  read_only: z.boolean().optional().register(descriptions, {
    variable: 'REELWRIGHT_READ_ONLY',
    meaning: '`true`: agents see only the tools that change nothing',
    byDefault: '`false`',
  }),
  confirm_above_credits: z.int().min(0).optional().register(descriptions, {
    variable: 'REELWRIGHT_CONFIRM_ABOVE_CREDITS',
    meaning: 'Credits above which the user is asked before a task is made',
    byDefault: 'nobody is asked',
  }),
  ffmpeg: path.optional().register(descriptions, {
    variable: 'REELWRIGHT_FFMPEG',
    meaning: 'Path of ffmpeg; ffprobe is looked for beside it',
    byDefault: 'ffmpeg on `PATH`, else in the usual folders',
  }),
  models_mirror: path
    .refine((given) => !/^[a-z][a-z0-9+.-]+:\/\//i.test(given) || isDownloadUrl(given), {
      error: 'must be a folder or an https address without a password',
    })
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_MODELS_MIRROR',
      meaning:
        'Folder or https address that holds every file of models and engines by its name; nothing else is asked then',
      byDefault: "each file's own address, and the registry of your npm",
    }),
  pull_models: z.boolean().optional().register(descriptions, {
    variable: 'REELWRIGHT_PULL_MODELS',
    meaning: '`false`: nothing is fetched by itself at first use; `reelwright models pull` brings it',
    byDefault: '`true`: models and engines below 25 MB come by themselves',
  }),
  models: z
    .partialRecord(
      z.enum(ownModels),
      z.strictObject({
        path,
        sha256: z
          .string()
          .toLowerCase()
          .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex, as sha256sum tells it'),
      }),
    )
    .optional()
    .register(descriptions, {
      meaning: `Models that you bring: \`{ "${ownModels[0]}": { "path", "sha256" } }\`; also ${ownModels
        .slice(1)
        .map((name) => `\`${name}\``)
        .join(', ')}`,
      byDefault: 'none: the built-in ways',
    }),
  language_model: objectOrLine(languageModelService)
    .optional()
    .register(descriptions, {
      variable: serviceInfo.language_model.variable,
      meaning: `An OpenAI-compatible service and, behind \`#\`, its model: \`${serviceInfo.language_model.example}\`; in the file also \`{ "address", "model", "key", "requests_per_minute", "concurrency", "context_tokens" }\` ([engines](engines.md))`,
      byDefault: 'none',
    }),
  language_model_key: serviceKey.optional().register(descriptions, {
    variable: serviceInfo.language_model.keyVariable,
    meaning: 'Its key',
    byDefault: 'none is sent',
  }),
  transcription: objectOrLine(transcriptionService)
    .optional()
    .register(descriptions, {
      variable: serviceInfo.transcription.variable,
      meaning: `An OpenAI-compatible transcription service, as \`language_model\`: \`${serviceInfo.transcription.example}\``,
      byDefault: 'what is installed',
    }),
  transcription_key: serviceKey.optional().register(descriptions, {
    variable: serviceInfo.transcription.keyVariable,
    meaning: 'Its key',
    byDefault: 'none is sent',
  }),
  voice_service: objectOrLine(voiceService)
    .optional()
    .register(descriptions, {
      variable: serviceInfo.voice_service.variable,
      meaning: `A service that copies voices: \`${serviceInfo.voice_service.example}\`, or \`openai+\` before an address with its model; in the file also with \`folder\` and \`folder_there\``,
      byDefault: 'what is installed',
    }),
  voice_service_key: serviceKey.optional().register(descriptions, {
    variable: serviceInfo.voice_service.keyVariable,
    meaning: 'Its key',
    byDefault: 'none is sent',
  }),
  database_url: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .register(descriptions, {
      variable: 'DATABASE_URL',
      meaning:
        'PostgreSQL for `reelwright serve`: one service to a database and one database to a data folder',
      byDefault: 'SQLite in the data folder',
    }),
  log_level: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_LOG_LEVEL',
      meaning: '`debug`, `info`, `warn`, `error` or `silent`',
      byDefault: `\`${defaults.log_level}\``,
    }),
  host: z
    .string()
    .min(1)
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_HOST',
      meaning:
        'Address `reelwright serve` and `mcp --http` listen on; one beyond this machine needs `public_url`',
      byDefault: `\`${defaults.host}\``,
    }),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_PORT',
      meaning: 'Port `reelwright serve` listens on; 0 takes a free one',
      byDefault: `\`${defaults.port}\``,
    }),
  public_url: z
    .url({ protocol: /^https$/, error: 'must be an https address' })
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_PUBLIC_URL',
      meaning: 'Address under which clients reach `reelwright serve` and `mcp --http` through a TLS proxy',
      byDefault: 'none: clients on this machine alone',
    }),
  allow_query_authorization: z.boolean().optional().register(descriptions, {
    variable: 'ALLOW_QUERY_AUTHORIZATION',
    meaning:
      '`true`: `reelwright serve` also takes the key as the query parameter `Authorization`, where the header is missing',
    byDefault: '`false`: addresses end up in logs and histories',
  }),
  rate_limits: z.record(z.string(), z.int().min(1)).optional().register(descriptions, {
    meaning:
      'Requests a minute that one key may make of an operation, by its name: `{ "material_describe": 60 }`',
    byDefault: "the operations' own limits",
  }),
  storage_quota_gib: z.number().positive().optional().register(descriptions, {
    meaning: 'GiB that the files of one account may take; uploads beyond it answer 6002',
    byDefault: 'what the disk holds',
  }),
  voices: z
    .array(voice)
    .refine(haveDistinctIds, 'two voices have one voice_id')
    .optional()
    .register(descriptions, {
      meaning: 'Voices that dubbing may name: `[{ "voice_id", "name", "languages": ["en-US"] }]`',
      byDefault: 'none',
    }),
})
export type Settings = z.infer<typeof settings>

function haveDistinctIds(voices: readonly Voice[]): boolean {
  return new Set(voices.map(({ voice_id }) => voice_id)).size === voices.length
}

/** Every setting by its name in the file. */
export const settingDescriptions = Object.entries(settings.shape).map(([name, schema]) => {
  const told = descriptions.get(schema)
  if (!told) throw new TypeError(`the setting ${name} is not described`)
  return { name, ...told }
})

/** What the environment alone tells. */
export const environmentOnlySettings = {
  dataDir: {
    variable: 'REELWRIGHT_DATA_DIR',
    meaning: 'Data folder, of nothing else: files, database, log, and the settings file',
    byDefault:
      '`~/.local/share/reelwright`, `~/Library/Application Support/reelwright` or `%LOCALAPPDATA%\\reelwright`',
  },
  projectDir: {
    variable: 'CLAUDE_PROJECT_DIR',
    meaning: 'Set by a client: the project it works on, a folder agents may use',
    byDefault: 'none',
  },
} as const satisfies Record<string, SettingDescription>
