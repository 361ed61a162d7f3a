"""The dashboard: pages for people over the same engines. Import `Dashboard` from `web.app`."""
