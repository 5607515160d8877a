import { ADMIN_RULES } from './route-rules/admin.ts'
import { FILE_RULES, WEB_FILE_RULES } from './route-rules/files.ts'
import { MCP_RULES } from './route-rules/mcp.ts'
import { PAGE_RULES } from './route-rules/pages.ts'
import type { RouteRules } from './route-rules/rule.ts'
import { SERVICE_RULES } from './route-rules/service.ts'
import { SPACE_RULES } from './route-rules/spaces.ts'
import { WEB_MANAGE_RULES } from './route-rules/web-manage.ts'
import { WEB_PAGE_RULES } from './route-rules/web-pages.ts'
import { WEB_SPACE_RULES } from './route-rules/web-spaces.ts'

/**
 * Every route of the service with the rule that it follows. A new route is one line in the file of its feature; the
 * tests then prove that nobody else can use it, and that it shows nothing of spaces that its caller cannot see. Words
 * in brackets behind a route tell its uses apart that follow different rules.
 */
export const ROUTE_RULES: RouteRules = {
  ...SERVICE_RULES,
  ...WEB_SPACE_RULES,
  ...WEB_MANAGE_RULES,
  ...ADMIN_RULES,
  ...SPACE_RULES,
  ...WEB_PAGE_RULES,
  ...WEB_FILE_RULES,
  ...PAGE_RULES,
  ...FILE_RULES,
  ...MCP_RULES,
}
