# What `cmake --install` and `cpack` deliver.
