import * as z from 'zod'
import { toolsets } from '../contract/operation.ts'
import { defaultConnectionLimits } from '../platform/connection-choice.ts'
import { isDownloadUrl } from '../engines/packs/allowed-url.ts'
import { manifest } from '../engines/packs/manifest.ts'
import {
  serviceInfo,
  objectOrLine,
  languageModelSetting,
  serviceKey,
  type ServiceKind,
  transcriptionService,
  voiceService,
  catalogueVoices,
  embeddingService,
} from '../engines/services/services.ts'
import { userWorkspace } from './default-folders.ts'
import { homeFolder } from '../platform/environment.ts'

/** Documentation of a setting, in Markdown for docs/settings.md. */
interface SettingDescription {
  /** Environment variable, which takes precedence over the file; absent for settings of the file alone. */
  readonly variable?: string
  readonly meaning: string
  /** Description of the default. */
  readonly byDefault: string
}

/** Default values. */
export const defaults = { log_level: 'info', host: '127.0.0.1', port: 8787, pull_models: true } as const

/** Where results go when no folder is configured; created on first use. */
export const defaultWorkspace = userWorkspace({ platform: process.platform, home: homeFolder() })

const descriptions = z.registry<SettingDescription>()
const path = z.string().min(1)

/** Names of models that users can provide. */
const ownModels = Object.entries(manifest).flatMap(([name, { kind }]) => (kind === 'own' ? name : []))

const connectionCount = () => z.int().min(1).max(100_000).optional()

/** The key of a service. */
const keyOf = (kind: ServiceKind) =>
  serviceKey.optional().register(descriptions, {
    variable: serviceInfo[kind].keyVariable,
    meaning: 'API key of that service',
    byDefault: 'none is sent',
  })

/** Settings of `reelwright.config.json`. */
export const settings = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_BASE_URL',
      meaning: 'Address of a remote service',
      byDefault: 'the local service',
    }),
  api_key: z.string().min(1).optional().register(descriptions, {
    variable: 'REELWRIGHT_API_KEY',
    meaning:
      'API key for the remote service; for `reelwright serve`, the key that it accepts, at least 20 characters',
    byDefault: '`serve` creates one for each run',
  }),
  allowed_dirs: z.array(path).optional().register(descriptions, {
    variable: 'REELWRIGHT_ALLOWED_DIRS',
    meaning: 'List of folders that agents may use; in the variable separated as in `PATH`',
    byDefault: 'only the workspace',
  }),
  workspace: path.optional().register(descriptions, {
    variable: 'REELWRIGHT_WORKSPACE',
    meaning: "Folder for results, and base of agents' relative paths",
    byDefault: 'the first of the allowed folders, else `~/Reelwright`',
  }),
  allow_urls: z.boolean().optional().register(descriptions, {
    variable: 'REELWRIGHT_ALLOW_URLS',
    meaning: '`true`: agents may use https addresses as files, which are downloaded on this machine',
    byDefault: '`false`',
  }),
  toolsets: z
    .array(z.enum(toolsets))
    .min(1)
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_TOOLSETS',
      meaning: `Groups of tools that agents see: a list of ${toolsets.map((name) => `\`${name}\``).join(', ')}; comma-separated in variables and options`,
      byDefault: 'all',
    }),
  tools: z.array(z.string().min(1)).min(1).optional().register(descriptions, {
    variable: 'REELWRIGHT_TOOLS',
    meaning: 'Tools that agents see, by name, in addition to those of `toolsets`; a list in the same format',
    byDefault: 'all',
  }),
  read_only: z.boolean().optional().register(descriptions, {
    variable: 'REELWRIGHT_READ_ONLY',
    meaning: '`true`: agents see only tools that change nothing',
    byDefault: '`false`',
  }),
  confirm_above_credits: z.int().min(0).optional().register(descriptions, {
    variable: 'REELWRIGHT_CONFIRM_ABOVE_CREDITS',
    meaning: 'Credits above which the user must confirm a task',
    byDefault: 'no confirmation',
  }),
  ffmpeg: path.optional().register(descriptions, {
    variable: 'REELWRIGHT_FFMPEG',
    meaning: 'Path of ffmpeg; ffprobe is expected in the same folder',
    byDefault: 'ffmpeg on `PATH`, else in common installation folders',
  }),
  models_mirror: path
    .refine((given) => !/^[a-z][a-z0-9+.-]+:\/\//i.test(given) || isDownloadUrl(given), {
      error: 'must be a folder or an https address without a password',
    })
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_MODELS_MIRROR',
      meaning:
        'Folder or https address with all files of models and engines, by file name; no other source is used then',
      byDefault: "each file's own address, and your npm registry",
    }),
  pull_models: z.boolean().optional().register(descriptions, {
    variable: 'REELWRIGHT_PULL_MODELS',
    meaning:
      '`false`: nothing is downloaded on first use; install models and engines with `reelwright models pull`',
    byDefault: '`true`: models and engines under 25 MB are downloaded on first use',
  }),
  models: z
    .partialRecord(
      z.enum(ownModels),
      z.strictObject({
        path,
        sha256: z
          .string()
          .toLowerCase()
          .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex, as printed by sha256sum'),
      }),
    )
    .optional()
    .register(descriptions, {
      meaning: `Models that you provide: \`{ "${ownModels[0]}": { "path", "sha256" } }\`; also ${ownModels
        .slice(1)
        .map((name) => `\`${name}\``)
        .join(', ')}`,
      byDefault: 'none: built-in methods are used',
    }),
  language_model: languageModelSetting.optional().register(descriptions, {
    variable: serviceInfo.language_model.variable,
    meaning: `Address of an OpenAI-compatible service and, after \`#\`, its model: \`${serviceInfo.language_model.example}\`; in the file also \`{ "address", "model", "key", "requests_per_minute", "concurrency", "context_tokens" }\` ([engines](engines.md)). \`agent\`: the agents that call answer its questions; \`none\`: nobody`,
    byDefault:
      'the agents of `reelwright mcp` answer, and other clients that offer it with the header `Answers-Questions: 1`',
  }),
  language_model_key: keyOf('language_model'),
  transcription: objectOrLine(transcriptionService)
    .optional()
    .register(descriptions, {
      variable: serviceInfo.transcription.variable,
      meaning: `Address of an OpenAI-compatible transcription service, in the format of \`language_model\`: \`${serviceInfo.transcription.example}\``,
      byDefault: 'installed models',
    }),
  transcription_key: keyOf('transcription'),
  voice_service: objectOrLine(voiceService)
    .optional()
    .register(descriptions, {
      variable: serviceInfo.voice_service.variable,
      meaning: `Address of a voice cloning service: \`${serviceInfo.voice_service.example}\`, or \`openai+\` and an address with its model; in the file also with \`folder\` and \`folder_there\``,
      byDefault: 'installed models',
    }),
  voice_service_key: keyOf('voice_service'),
  embedding: objectOrLine(embeddingService)
    .optional()
    .register(descriptions, {
      variable: serviceInfo.embedding.variable,
      meaning: `Address of a service that embeds texts and images, with its model: \`${serviceInfo.embedding.example}\`; without \`jina+\` an OpenAI-compatible one`,
      byDefault: 'installed models',
    }),
  embedding_key: keyOf('embedding'),
  database_url: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .register(descriptions, {
      variable: 'DATABASE_URL',
      meaning:
        'PostgreSQL database of `reelwright serve`; one service per database and one database per data folder',
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
        'Address on which `reelwright serve` and `mcp --http` listen; other than loopback it requires `public_url`',
      byDefault: `\`${defaults.host}\``,
    }),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_PORT',
      meaning: 'Port on which `reelwright serve` listens; 0 picks a free one',
      byDefault: `\`${defaults.port}\``,
    }),
  public_url: z
    .url({ protocol: /^https$/, error: 'must be an https address' })
    .optional()
    .register(descriptions, {
      variable: 'REELWRIGHT_PUBLIC_URL',
      meaning: 'Address of the TLS proxy through which clients reach `reelwright serve` and `mcp --http`',
      byDefault: 'none: only clients on this machine',
    }),
  allow_query_authorization: z.boolean().optional().register(descriptions, {
    variable: 'ALLOW_QUERY_AUTHORIZATION',
    meaning:
      '`true`: `reelwright serve` also accepts the key in the query parameter `Authorization` if the header is missing',
    byDefault: '`false`, because URLs appear in logs and histories',
  }),
  rate_limits: z.record(z.string(), z.int().min(1)).optional().register(descriptions, {
    meaning:
      'Requests per minute and key, by the name of the operation; `quote` limits the quotes of all operations: `{ "quote": 60 }`',
    byDefault: "the operations' own limits; 60 for operations without a price; 120 quotes",
  }),
  queued_tasks_per_key: z.int().min(1).optional().register(descriptions, {
    meaning: 'Tasks of a key that may wait at the same time; further ones are rejected with 6032',
    byDefault: '500',
  }),
  running_tasks_per_key: z.int().min(1).optional().register(descriptions, {
    meaning: 'Running tasks from which a key yields to waiting tasks of other keys; no worker stays idle',
    byDefault: 'one less than the number of tasks that run at the same time, at least 1',
  }),
  max_connections: connectionCount().register(descriptions, {
    meaning:
      'Connections that `reelwright serve` and `mcp --http` keep open; each may need two file descriptors. A further one closes one without a valid key, and a key can use a quarter of them',
    byDefault: `\`${defaultConnectionLimits.total}\``,
  }),
  max_connections_per_address: connectionCount().register(descriptions, {
    meaning:
      'The same for connections from one address or IPv6 /64; behind a proxy, all of them have its address',
    byDefault: `\`${defaultConnectionLimits.perAddress}\`; with \`public_url\`, all of \`max_connections\``,
  }),
  storage_quota_gib: z.number().positive().optional().register(descriptions, {
    meaning: 'Storage limit of an account, GiB; uploads beyond it fail with 6002',
    byDefault: 'the capacity of the disk',
  }),
  question_timeout_hours: z.number().positive().max(168).optional().register(descriptions, {
    meaning: 'Time in which an agent must answer the questions of a task, hours; then the task fails',
    byDefault: '24',
  }),
  voices: catalogueVoices.optional().register(descriptions, {
    meaning:
      'Voices available for dubbing: `[{ "voice_id", "name", "languages": ["en-US"] }]`, each with `"service": { "address", "model", "key", "voice" }`, an OpenAI-compatible `/audio/speech`, or with `"recording": { "path", "text", "language" }` of the voice, which is cloned ([engines](engines.md#voices-for-dubbing))',
    byDefault: 'none',
  }),
})
export type Settings = z.infer<typeof settings>

/** All settings by their name in the file. */
export const settingDescriptions = Object.entries(settings.shape).map(([name, schema]) => {
  const description = descriptions.get(schema)
  if (!description) throw new TypeError(`the setting ${name} is not described`)
  return { name, ...description }
})

/** Settings of the environment alone. */
export const environmentOnlySettings = {
  dataDir: {
    variable: 'REELWRIGHT_DATA_DIR',
    meaning: 'Data folder, for reelwright alone: files, database, log, and the settings file',
    byDefault:
      '`~/.local/share/reelwright`, `~/Library/Application Support/reelwright` or `%LOCALAPPDATA%\\reelwright`',
  },
  projectDir: {
    variable: 'CLAUDE_PROJECT_DIR',
    meaning: 'Set by the client: its project folder, which agents may use',
    byDefault: 'none',
  },
} as const satisfies Record<string, SettingDescription>
