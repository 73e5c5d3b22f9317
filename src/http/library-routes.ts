import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { materialLinksRequest } from '../contract/library-routes.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { readBody } from '../contract/validation.ts'
import { findGranted } from '../library/grants.ts'
import { listMaterials } from '../library/list-materials.ts'
import { linkGrantedMaterials, type LinkTarget, readLinkTarget } from '../library/links.ts'
import { openMaterialContent } from '../library/material-content.ts'
import type { Service } from '../tasks/service.ts'
import { authenticatedCaller } from './authentication.ts'
import { sendContent } from './downloads.ts'
import { fastifyPath, parseParameters } from './request-input.ts'
import { success } from './responses.ts'

/** Links of materials of the library, and their content. */
export function registerLibraryRoutes(app: FastifyInstance, service: Service): void {
  app.get(routes.listMaterials.path, async (request) => {
    const query = parseParameters(routes.listMaterials.query, request.query)
    return success(await listMaterials(service.db, query))
  })
  app.post(routes.linkMaterials.path, async (request) => {
    const { accountId } = authenticatedCaller(request)
    const { ids, accompaniment } = readBody(materialLinksRequest, request.body, { ids: [12] })
    return success({ links: await linkGrantedMaterials(service, { accountId, ids, accompaniment }) })
  })
  app.route({
    // Fastify's own HEAD route would send Content-Length 0.
    method: ['GET', 'HEAD'],
    url: fastifyPath(rawRoutes.downloadMaterial.path),
    handler: async (request, reply) => {
      const target = requestedPart(request)
      if (request.caller) await requireGrant(service, request.caller, target)
      return await sendContent({ request, reply }, await openMaterialContent(service, target))
    },
  })
}

/** The material and the file that a request names. Throws 6004. */
function requestedPart({ params }: FastifyRequest): LinkTarget {
  const { material_id: id = '', part = '' } = params as Readonly<Record<string, string>>
  const target = readLinkTarget(id, part)
  if (target) return target
  throw new MediaError(6004, 'there is no such file of a material')
}

/** Throws 6004 unless a material is granted to the caller: a key opens what searches of its account returned. */
async function requireGrant(
  { db }: Service,
  { accountId }: { readonly accountId: number },
  { id }: LinkTarget,
): Promise<void> {
  if ((await findGranted(db, { accountId, ids: [id] })).has(id)) return
  throw new MediaError(6004, 'the material does not exist, or no search of this account returned it')
}
