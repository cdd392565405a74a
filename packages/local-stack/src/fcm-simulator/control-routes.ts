import { z } from 'zod'
import { type Answer, jsonAnswer } from './answer.ts'
import { behaviourSchema } from './behaviour.ts'
import type { Exchange } from './exchange.ts'
import { createProject, type Project } from './project.ts'

/** Outside the API of FCM: to script what happens and to see what did. */
export const controlPath = (project: string): string => `/control/projects/${encodeURIComponent(project)}`

const scriptSchema = z.strictObject({ token: z.string().optional(), behaviours: z.array(behaviourSchema) })

export type Projects = Map<string, Project>

export const projectOf = (projects: Projects, id: string): Project => {
  const project = projects.get(id) ?? createProject()
  projects.set(id, project)
  return project
}

/**
 * GET     /control/projects/{p}           the report
 * GET     /control/projects/{p}/messages  the latest messages; `?token=` of one device
 * PUT     /control/projects/{p}/script    what happens from now on
 * DELETE  /control/projects/{p}           forget everything about the project
 */
export const answerControl = ({ method, path, body }: Exchange, projects: Projects): Answer => {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const [, id, rest = ''] = /^\/control\/projects\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? []
  if (id === undefined) return notFound
  const projectId = decodeURIComponent(id)
  const token = searchParams.get('token') ?? undefined
  switch (`${method} ${rest}`) {
    case 'GET ':
      return jsonAnswer(200, projectOf(projects, projectId).report())
    case 'GET messages':
      return jsonAnswer(200, projectOf(projects, projectId).messages(token))
    case 'PUT script':
      return script(projectOf(projects, projectId), body)
    case 'DELETE ':
      projects.delete(projectId)
      return jsonAnswer(200, {})
    default:
      return notFound
  }
}

const notFound = jsonAnswer(404, { error: { code: 404, message: 'There is no such control', status: 'NOT_FOUND' } })

const script = (project: Project, body: string): Answer => {
  try {
    const { token, behaviours } = scriptSchema.parse(JSON.parse(body))
    project.script(behaviours, token)
    return jsonAnswer(200, {})
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return jsonAnswer(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } })
  }
}
